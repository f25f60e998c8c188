import { type ChorusClient, ChorusError } from '@chorus/client';
import { fromBase64, toBase64 } from '../../audio/pcm.ts';
import { t } from '../../i18n/i18n.ts';
import { CallAudio } from './call-audio.ts';
import { applyEvent, type Caption, endCall } from './captions.ts';
import type { RealtimeCommand, RealtimeEvent } from './realtime-events.ts';

export type CallState = 'idle' | 'connecting' | 'listening' | 'hearing' | 'thinking' | 'speaking' | 'reconnecting';

interface CallSnapshot {
  state: CallState;
  captions: readonly Caption[];
  /** The stored conversation; null before the first turn. */
  sessionId: string | null;
  isMuted: boolean;
  /** Why the call ended or a turn failed; null if neither happened. */
  problem: unknown;
}

const INITIAL: CallSnapshot = { state: 'idle', captions: [], sessionId: null, isMuted: false, problem: null };

/** The delay before reconnecting doubles after each attempt. */
const MAX_RECONNECTS = 8;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/** Close codes that rule out reconnecting: rate limit, expired credentials, session taken over elsewhere, idle. */
const FINAL_CODES = new Set([1008, 4001, 4002, 4003]);

/** The response or item had already ended. */
const IGNORED_ERRORS = new Set(['response_cancel_not_active', 'item_not_found']);

/** A voice call: microphone, socket, and speakers. Notifies its listeners of every change. */
export class VoiceCall {
  readonly #client: ChorusClient;
  readonly #listeners = new Set<() => void>();
  /** Loudness of both sides, 0 to 1. Read on every frame, so listeners are not notified. */
  readonly levels = { input: 0, output: 0 };
  #view = INITIAL;
  #audio: CallAudio | null = null;
  #socket: WebSocket | null = null;
  #voiceId: string | null = null;
  #reconnects = 0;
  /** Ends the current backoff. */
  #wake: (() => void) | null = null;
  /** Whether the server is still sending an answer; playback may take longer. */
  #isAnswering = false;
  /** The item whose audio arrived last, and the last interrupted one, whose late audio is dropped. */
  #playingItem: string | null = null;
  #interruptedItem: string | null = null;
  /** Increases with each start and stop, so that stale async work can be ignored. */
  #generation = 0;

  /** The conversation to continue; null for a new one. */
  readonly #continued: string | null;

  constructor(client: ChorusClient, sessionId: string | null = null) {
    this.#client = client;
    this.#continued = sessionId;
    this.#view = { ...INITIAL, sessionId };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly snapshot = (): CallSnapshot => this.#view;

  async start(voice: string | null): Promise<void> {
    this.#voiceId = voice;
    this.#reconnects = 0;
    const generation = ++this.#generation;
    this.#update({ ...INITIAL, state: 'connecting', sessionId: this.#continued });
    try {
      const audio = await CallAudio.open({
        onInput: (pcm, level) => {
          this.levels.input = this.#view.isMuted ? 0 : level;
          this.#send({ type: 'input_audio_buffer.append', audio: toBase64(pcm) });
        },
        onPlayback: ({ item, level }) => {
          this.levels.output = level;
          // An answer may contain pauses.
          if (item === null && !this.#isAnswering && this.#view.state === 'speaking')
            this.#update({ state: 'listening' });
        },
        onUnplugged: () => this.stop(new DOMException('The microphone was disconnected.', 'UnpluggedError')),
      });
      // The call has been ended.
      if (generation !== this.#generation) return audio.close();
      this.#audio = audio;
      await this.#connect();
    } catch (problem) {
      if (generation === this.#generation) this.stop(problem);
    }
  }

  stop(problem: unknown = null): void {
    this.#generation++;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    this.#audio?.close();
    this.#audio = null;
    this.#wake?.();
    Object.assign(this.levels, { input: 0, output: 0 });
    this.#update({ state: 'idle', isMuted: false, problem, captions: endCall(this.#view.captions) });
  }

  mute(isMuted: boolean): void {
    if (this.#audio) this.#audio.isMuted = isMuted;
    this.#update({ isMuted });
  }

  interrupt(): void {
    if (this.#isAnswering) this.#send({ type: 'response.cancel' });
    this.#stopPlayback();
  }

  /** Sends text, which is answered aloud. */
  sendText(text: string): void {
    this.interrupt();
    this.#send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    });
    this.#send({ type: 'response.create' });
    const caption: Caption = { id: crypto.randomUUID(), role: 'user', text, isDone: true, isCutOff: false };
    this.#update({ captions: [...this.#view.captions, caption], state: 'thinking' });
  }

  async #connect(): Promise<void> {
    const generation = this.#generation;
    const { url, ticket } = await this.#client.voice.ticket();
    // The content security policy allows only this page's origin.
    const address = new URL(new URL(url, document.baseURI).pathname, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    address.searchParams.set('ticket', ticket);
    if (this.#voiceId !== null) address.searchParams.set('voice', this.#voiceId);
    if (this.#view.sessionId !== null) address.searchParams.set('session_id', this.#view.sessionId);
    if (generation !== this.#generation) return; // the call has been ended
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#handle(JSON.parse(String(data)) as RealtimeEvent);
    socket.onclose = ({ code, reason }) => {
      if (this.#socket === socket) this.#reconnect(code, reason);
    };
  }

  #reconnect(code: number, reason: string): void {
    this.#socket = null;
    if (FINAL_CODES.has(code)) this.stop(new DOMException(reason, 'AbortError'));
    else void this.#retryConnect();
  }

  /** Retries with growing delays, and at once when the network is back. */
  async #retryConnect(): Promise<void> {
    const generation = this.#generation;
    while (this.#reconnects < MAX_RECONNECTS) {
      this.#update({ state: 'reconnecting' });
      await this.#backoff(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#reconnects++));
      if (generation !== this.#generation) return;
      try {
        await this.#connect();
        return;
      } catch (problem) {
        if (generation !== this.#generation) return;
        if (!(problem instanceof ChorusError && problem.retryable)) {
          this.stop(problem);
          return;
        }
      }
    }
    this.stop(new DOMException('The connection was lost.', 'NetworkError'));
  }

  async #backoff(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      window.addEventListener('online', () => resolve(), { once: true });
      setTimeout(resolve, ms);
    });
    this.#wake = null;
  }

  #handle(event: RealtimeEvent): void {
    if (event.type === 'session.created') {
      this.#reconnects = 0;
      this.#isAnswering = false;
      this.#interruptedItem = null;
      // Playback positions start again at zero.
      this.#audio?.stopPlayback();
      // Requests a transcript of the user's speech.
      const input = { transcription: { model: null } };
      this.#send({ type: 'session.update', session: { type: 'realtime', audio: { input } } });
    }
    if (event.type === 'response.created') this.#isAnswering = true;
    if (event.type === 'response.done') this.#isAnswering = false;
    if (event.type === 'response.output_audio.delta') {
      // Sent before the server knew of the interruption.
      if (event.item_id === this.#interruptedItem) return;
      this.#playingItem = event.item_id;
      this.#audio?.play(event.item_id, fromBase64(event.delta));
    }
    if (event.type === 'error' && IGNORED_ERRORS.has(event.error.code)) return;
    // On slow networks, playback lags behind the server.
    const isInterrupted = event.type === 'input_audio_buffer.speech_started';
    if (event.type === 'response.done' && event.response.status_details?.error?.code === 'not_found') {
      this.stop(new DOMException(t('voice.conversationDeleted'), 'AbortError'));
      return;
    }
    const isCancelled = event.type === 'response.done' && event.response.status === 'cancelled';
    if (isInterrupted || isCancelled || event.type === 'output_audio_buffer.cleared') this.#stopPlayback();
    if (event.type === 'conversation.item.truncated')
      this.#send({ type: 'conversation.item.retrieve', item_id: event.item_id });
    this.#update({ captions: applyEvent(this.#view.captions, event), ...this.#stateChange(event) });
  }

  #stateChange(event: RealtimeEvent): Partial<CallSnapshot> {
    const { state, sessionId } = this.#view;
    switch (event.type) {
      case 'session.created':
        return { state: 'listening', sessionId: event.session.session_id ?? sessionId };
      case 'input_audio_buffer.speech_started':
        return { state: 'hearing' };
      case 'input_audio_buffer.speech_stopped':
        return { state: 'thinking' };
      case 'conversation.item.input_audio_transcription.completed':
        // Sounds without words get no answer.
        return state === 'thinking' && !this.#isAnswering && !hasWords(event.transcript) ? { state: 'listening' } : {};
      case 'conversation.item.input_audio_transcription.failed':
        return { state: 'listening' };
      case 'response.created':
        return { state: 'thinking', sessionId: event.response.session_id ?? sessionId };
      case 'response.output_audio.delta':
        return { state: 'speaking' };
      case 'response.requires_action': {
        const names = [...new Set(event.required_action.tool_calls.map(({ name }) => name))].join(', ');
        return { problem: new Error(t('voice.needsApproval', { names })) };
      }
      case 'response.done': {
        const { status, status_details, session_id } = event.response;
        const problem =
          status === 'failed' ? new Error(status_details?.error?.message ?? t('voice.answerFailed')) : null;
        // Audio that was already sent keeps playing.
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

  /** Stops playback and reports how much was heard, so that the server keeps only that. */
  #stopPlayback(): void {
    this.#interruptedItem = this.#playingItem;
    const heard = this.#audio?.stopPlayback() ?? null;
    if (heard === null) return;
    const { item, heardMs } = heard;
    this.#send({ type: 'conversation.item.truncate', item_id: item, content_index: 0, audio_end_ms: heardMs });
    if (this.#view.state === 'speaking') this.#update({ state: 'listening' });
  }

  #send(command: RealtimeCommand): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(command));
  }

  #update(change: Partial<CallSnapshot>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text);
