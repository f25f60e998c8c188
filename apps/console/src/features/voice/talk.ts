import { type ChorusClient, ChorusError } from '@chorus/client';
import { type Caption, withEvent } from './captions.ts';
import type { RealtimeEvent, RealtimeOrder } from './realtime-events.ts';
import { fromBase64, toBase64 } from './sound-format.ts';
import { TalkSound } from './talk-sound.ts';

export type TalkState = 'idle' | 'connecting' | 'listening' | 'hearing' | 'thinking' | 'speaking' | 'reconnecting';

export interface TalkView {
  state: TalkState;
  captions: readonly Caption[];
  /** The stored conversation, once something was said. */
  sessionId: string | null;
  isMuted: boolean;
  /** Why it has ended, or what failed; null: nothing. */
  problem: unknown;
}

const START: TalkView = { state: 'idle', captions: [], sessionId: null, isMuted: false, problem: null };

/** How often a lost connection is made again, and the pause before the first time, which doubles up to the longest, in milliseconds. */
const RECONNECTIONS = 8;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** After these a socket is not to be opened again: too much was asked, the credential is no good any more, the session goes on elsewhere, or nobody says anything. */
const FINAL_CODES = new Set([1008, 4001, 4002, 4003]);

/** What was to be ended or shortened is over already. */
const TOO_LATE = new Set(['response_cancel_not_active', 'item_not_found']);

/** A spoken conversation: the microphone, the socket and the loudspeaker. Tells its listeners of every change. */
export class Talk {
  readonly #client: ChorusClient;
  readonly #listeners = new Set<() => void>();
  /** Loudness of both sides, 0 to 1; read for each picture of the screen, so no listener is told. */
  readonly levels = { mine: 0, theirs: 0 };
  #view = START;
  #sound: TalkSound | null = null;
  #socket: WebSocket | null = null;
  #voice: string | null = null;
  #lost = 0;
  /** Ends the pause before a lost connection is made again. */
  #wake: (() => void) | null = null;
  /** Whether an answer is being made; what was made may be played longer. */
  #isAnswering = false;
  /** The item of which sound came last, and the one that was cut last: what still comes of that is not heard. */
  #soundingItem: string | null = null;
  #cutItem: string | null = null;
  /** Which begin this is: what an earlier one waited for is not wanted any more. */
  #round = 0;

  constructor(client: ChorusClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly view = (): TalkView => this.#view;

  /** @param voice one of those that can be spoken; null: the usual one */
  async start(voice: string | null): Promise<void> {
    this.#voice = voice;
    this.#lost = 0;
    const round = ++this.#round;
    this.#show({ ...START, state: 'connecting' });
    try {
      const sound = await TalkSound.open({
        onHeard: (pcm, level) => {
          this.levels.mine = this.#view.isMuted ? 0 : level;
          this.#send({ type: 'input_audio_buffer.append', audio: toBase64(pcm) });
        },
        onPlayed: ({ item, level }) => {
          this.levels.theirs = level;
          // Between two pieces of an answer there may be silence, too.
          if (item === null && !this.#isAnswering && this.#view.state === 'speaking')
            this.#show({ state: 'listening' });
        },
        onUnplugged: () => this.stop(new DOMException('The microphone is gone.', 'UnpluggedError')),
      });
      // Whoever has ended it meanwhile is not listened to.
      if (round !== this.#round) return sound.close();
      this.#sound = sound;
      await this.#connect();
    } catch (problem) {
      if (round === this.#round) this.stop(problem);
    }
  }

  stop(problem: unknown = null): void {
    this.#round++;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    this.#sound?.close();
    this.#sound = null;
    this.#wake?.();
    Object.assign(this.levels, { mine: 0, theirs: 0 });
    this.#show({ state: 'idle', isMuted: false, problem });
  }

  mute(isMuted: boolean): void {
    if (this.#sound) this.#sound.isMuted = isMuted;
    this.#show({ isMuted });
  }

  /** Ends the answer that is spoken. */
  interrupt(): void {
    if (this.#isAnswering) this.#send({ type: 'response.cancel' });
    this.#cut();
  }

  /** Says something in writing; it is answered aloud. */
  write(text: string): void {
    this.interrupt();
    this.#send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    });
    this.#send({ type: 'response.create' });
    const caption: Caption = { id: crypto.randomUUID(), role: 'user', text, isDone: true, isCutOff: false };
    this.#show({ captions: [...this.#view.captions, caption], state: 'thinking' });
  }

  async #connect(): Promise<void> {
    const round = this.#round;
    const { url, ticket } = await this.#client.voice.ticket();
    // Its path, from where the page came: the page's policy allows no other place.
    const address = new URL(new URL(url, document.baseURI).pathname, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    address.searchParams.set('ticket', ticket);
    if (this.#voice !== null) address.searchParams.set('voice', this.#voice);
    if (this.#view.sessionId !== null) address.searchParams.set('session_id', this.#view.sessionId);
    if (round !== this.#round) return; // it was ended meanwhile
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)) as RealtimeEvent);
    socket.onclose = ({ code, reason }) => {
      if (this.#socket === socket) this.#reconnect(code, reason);
    };
  }

  #reconnect(code: number, reason: string): void {
    this.#socket = null;
    if (FINAL_CODES.has(code)) this.stop(new DOMException(reason, 'AbortError'));
    else void this.#connectAgain();
  }

  /** Each time after a longer pause; at once when the network is back. */
  async #connectAgain(): Promise<void> {
    const round = this.#round;
    while (this.#lost < RECONNECTIONS) {
      this.#show({ state: 'reconnecting' });
      await this.#pause(Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** this.#lost++));
      if (round !== this.#round) return;
      try {
        await this.#connect();
        return;
      } catch (problem) {
        if (round !== this.#round) return;
        if (!(problem instanceof ChorusError && problem.retryable)) {
          this.stop(problem);
          return;
        }
      }
    }
    this.stop(new DOMException('The connection is lost.', 'NetworkError'));
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      window.addEventListener('online', () => resolve(), { once: true });
      setTimeout(resolve, ms);
    });
    this.#wake = null;
  }

  #take(event: RealtimeEvent): void {
    if (event.type === 'session.created') {
      this.#lost = 0;
      this.#isAnswering = false;
      this.#cutItem = null;
      // What comes of an answer now is counted anew.
      this.#sound?.cut();
      // What one says is shown, too.
      const input = { transcription: { model: null } };
      this.#send({ type: 'session.update', session: { type: 'realtime', audio: { input } } });
    }
    if (event.type === 'response.created') this.#isAnswering = true;
    if (event.type === 'response.done') this.#isAnswering = false;
    if (event.type === 'response.output_audio.delta') {
      // Sent before the server knew that it was cut.
      if (event.item_id === this.#cutItem) return;
      this.#soundingItem = event.item_id;
      this.#sound?.play(event.item_id, fromBase64(event.delta));
    }
    if (event.type === 'error' && TOO_LATE.has(event.error.code)) return;
    // Where the network is slow, more is still to be played here than the server knows of.
    const isSpokenOver = event.type === 'input_audio_buffer.speech_started';
    if (event.type === 'response.done' && event.response.status_details?.error?.code === 'not_found') {
      this.stop(new DOMException('The conversation was deleted. Begin a new one.', 'AbortError'));
      return;
    }
    const isCut = event.type === 'response.done' && event.response.status === 'cancelled';
    if (isSpokenOver || isCut || event.type === 'output_audio_buffer.cleared') this.#cut();
    if (event.type === 'conversation.item.truncated')
      this.#send({ type: 'conversation.item.retrieve', item_id: event.item_id });
    this.#show({ captions: withEvent(this.#view.captions, event), ...this.#changeBy(event) });
  }

  /** What of the view, beside the captions, is another after an event. */
  #changeBy(event: RealtimeEvent): Partial<TalkView> {
    const { state, sessionId } = this.#view;
    switch (event.type) {
      case 'session.created':
        return { state: 'listening', sessionId: event.session.session_id ?? sessionId };
      case 'input_audio_buffer.speech_started':
        return { state: 'hearing' };
      case 'input_audio_buffer.speech_stopped':
        return { state: 'thinking' };
      case 'conversation.item.input_audio_transcription.completed':
        // Sounds without a word are not answered.
        return state === 'thinking' && !this.#isAnswering && !hasWords(event.transcript) ? { state: 'listening' } : {};
      case 'conversation.item.input_audio_transcription.failed':
        return { state: 'listening' };
      case 'response.created':
        return { state: 'thinking', sessionId: event.response.session_id ?? sessionId };
      case 'response.output_audio.delta':
        return { state: 'speaking' };
      case 'response.done': {
        const { status, status_details, session_id } = event.response;
        const problem = status === 'failed' ? new Error(status_details?.error?.message ?? 'The answer failed.') : null;
        // What was sent is still played after the answer's end.
        return { sessionId: session_id ?? sessionId, problem, state: state === 'thinking' ? 'listening' : state };
      }
      case 'error':
        return {
          problem: new Error(event.error.message),
          state: state === 'thinking' && !this.#isAnswering ? 'listening' : state,
        };
      default:
        return {};
    }
  }

  /** Falls silent, and tells the server how much was heard, so that the conversation holds that and no more. */
  #cut(): void {
    this.#cutItem = this.#soundingItem;
    const heard = this.#sound?.cut() ?? null;
    if (heard === null) return;
    const { item, heardMs } = heard;
    this.#send({ type: 'conversation.item.truncate', item_id: item, content_index: 0, audio_end_ms: heardMs });
    if (this.#view.state === 'speaking') this.#show({ state: 'listening' });
  }

  #send(order: RealtimeOrder): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(order));
  }

  #show(change: Partial<TalkView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text);
