import {
  ChorusError,
  DEFAULT_REALTIME_SETTINGS,
  presentRealtimeSession,
  REALTIME_CLOSE_CODES,
  type RealtimeClientEvent,
  type RealtimeEventData,
  type RealtimeItem,
  type RealtimeSettings,
  type VoiceState,
} from '@chorus/contract';
import type { LineHolder } from '@chorus/conversations';
import type { Caller, SessionRequest } from '../caller.ts';
import type { Link } from '../link.ts';
import type { VoiceServices } from '../voice-services.ts';
import { ClientItems } from './client-items.ts';
import { ConversationItems } from './conversation-items.ts';
import { InputAudio } from './input-audio.ts';
import { type LoadedSession, loadSession } from './load-session.ts';
import { Refusal } from './refusal.ts';
import { type ConversationSession, responseIdOf, Turns } from './turns.ts';
import type { OpenVoiceEngine, VoiceEngine } from './voice-engine.ts';

/** `kicked`: the client violated a limit or rule of the socket. */
export type EndReason = 'client_gone' | 'shutdown' | 'revoked' | 'kicked';

/** Events queued before the conversation is open. */
const MAX_QUEUED_EVENTS = 2_000;

type EventOf<Type extends RealtimeClientEvent['type']> = Extract<RealtimeClientEvent, { type: Type }>;

interface OpenState extends LoadedSession {
  engine: VoiceEngine;
  turns: Turns;
  inputAudio: InputAudio;
  clientItems: ClientItems;
}

/** Handles the events of one socket's client. */
export class VoiceConversation {
  readonly #services: VoiceServices;
  readonly #caller: Caller;
  readonly #link: Link;
  readonly #items: ConversationItems;
  readonly #closed = new AbortController();
  readonly #opening: Promise<void>;
  #settings: RealtimeSettings;
  #ignored: string[] = [];
  #state: VoiceState = 'idle';
  /** Events received before the conversation was open; null afterwards. */
  #queued: RealtimeClientEvent[] | null = [];
  #opened: OpenState | null = null;

  constructor(services: VoiceServices, engine: OpenVoiceEngine, caller: Caller, asked: SessionRequest, link: Link) {
    this.#services = services;
    this.#caller = caller;
    this.#link = link;
    this.#settings = { ...DEFAULT_REALTIME_SETTINGS, voice: asked.voice ?? caller.agent?.voice ?? null };
    this.#items = new ConversationItems((news) => this.#send(news));
    this.#opening = this.#open(engine, asked).catch((error: unknown) => this.#fail(error));
  }

  take(event: RealtimeClientEvent): void {
    if (this.#queued !== null) {
      if (this.#queued.length < MAX_QUEUED_EVENTS) this.#queued.push(event);
      return;
    }
    try {
      this.#handle(event);
    } catch (error) {
      this.#refuse(event, error);
    }
  }

  async end(_reason: EndReason): Promise<void> {
    await this.#leave();
    await this.#opened?.turns.settled();
  }

  /** Ends current speech so that another socket can take over. */
  async #leave(): Promise<void> {
    this.#closed.abort(new ChorusError('cancelled', 'The socket was closed.'));
    await this.#opening;
    const talk = this.#opened;
    if (talk === null) return;
    talk.inputAudio.close();
    await talk.turns.detach();
    await talk.releaseLine();
    this.#setState('idle');
  }

  #holder({ id: session_id }: ConversationSession): LineHolder {
    return {
      interrupt: () => {
        const heard = this.#opened?.turns.interrupt('client_cancelled') ?? null;
        return {
          object: 'voice.interruption',
          session_id,
          interrupted: heard !== null,
          execution_id: heard?.execution_id ?? null,
          message_id: heard?.message_id ?? null,
          heard_ms: heard?.heard_ms ?? null,
          heard: heard?.text ?? null,
        };
      },
      leave: async () => {
        await this.#leave();
        this.#link.close(REALTIME_CLOSE_CODES.takenOver, 'Another socket has taken over this session.');
      },
    };
  }

  async #open(opening: OpenVoiceEngine, asked: SessionRequest): Promise<void> {
    const engine = await opening.ready();
    engine.warm(this.#settings.voice);
    const talk = await loadSession(this.#services, engine, this.#caller, asked, (session) => this.#holder(session));
    if (this.#closed.signal.aborted) {
      await talk.releaseLine();
      return;
    }
    const send = (news: RealtimeEventData) => this.#send(news);
    const turns: Turns = new Turns({
      services: this.#services,
      engine,
      caller: this.#caller,
      session: talk.session,
      items: this.#items,
      send,
      behindBytes: () => this.#link.behindBytes,
      systemTexts: () => clientItems.systemTexts,
      onState: (state) => {
        this.#setState(state !== 'over' ? state : inputAudio.busy ? 'listening' : 'idle');
        if (state === 'over') inputAudio.startIdleTimer();
      },
    });
    const inputAudio: InputAudio = new InputAudio({
      engine,
      sessionId: talk.session.id,
      signal: this.#closed.signal,
      settings: () => this.#settings,
      items: this.#items,
      turns,
      send,
      onState: (state) => this.#setState(state === 'quiet' ? (turns.answer === null ? 'idle' : this.#state) : state),
      onTurn: () => this.#answer(),
    });
    const clientItems: ClientItems = new ClientItems(this.#items, turns, inputAudio);
    this.#opened = { ...talk, engine, turns, inputAudio, clientItems };
    send({ type: 'session.created', session: this.#present() });
    this.#checkVoice(engine);
    for (const item of talk.history) this.#items.add(item);
    if (talk.unfinished !== null) turns.resume(this.#settings, talk.unfinished.record, talk.unfinished.mark);
    const waiting = this.#queued ?? [];
    this.#queued = null;
    for (const event of waiting) this.take(event);
  }

  /** Reports an unknown voice in the socket's address and falls back to the default voice. */
  #checkVoice(engine: VoiceEngine): void {
    try {
      engine.speaker(this.#settings);
    } catch (error) {
      if (!(error instanceof ChorusError) || error.code !== 'invalid_request') return;
      this.#settings = { ...this.#settings, voice: null };
      this.#refuse(null, error);
    }
  }

  #handle(event: RealtimeClientEvent): void {
    const { turns, inputAudio, clientItems } = this.#opened as OpenState;
    switch (event.type) {
      case 'session.update':
        this.#update(event, inputAudio);
        break;
      case 'input_audio_buffer.append':
        inputAudio.append(event.audio);
        break;
      case 'input_audio_buffer.commit':
        inputAudio.commit();
        break;
      case 'input_audio_buffer.clear':
        inputAudio.clear();
        break;
      case 'output_audio_buffer.clear': {
        const heard = turns.interrupt('client_cancelled');
        const response_id = heard === null ? '' : responseIdOf(heard.execution_id);
        this.#send({ type: 'output_audio_buffer.cleared', response_id });
        break;
      }
      case 'conversation.item.create':
        clientItems.create(event);
        break;
      case 'conversation.item.retrieve':
        this.#send({ type: 'conversation.item.retrieved', item: { ...this.#itemOf(event.item_id) } });
        break;
      case 'conversation.item.delete':
        clientItems.remove(this.#itemOf(event.item_id));
        break;
      case 'conversation.item.truncate':
        if (!turns.truncate(this.#itemOf(event.item_id).id, event.audio_end_ms))
          throw new Refusal('invalid_value', 'Only an answer spoken on this socket can be truncated.');
        break;
      case 'response.create':
        this.#respond(event, turns, inputAudio);
        break;
      case 'response.cancel':
        if (turns.interrupt('client_cancelled') === null)
          throw new Refusal('response_cancel_not_active', 'There is no active response to cancel.');
        break;
      default:
        event satisfies never;
    }
  }

  #update({ session }: EventOf<'session.update'>, inputAudio: InputAudio): void {
    const before = this.#settings;
    const model = session.settings.transcription?.model;
    const { engine } = this.#opened as OpenState;
    if (model != null) engine.listener(model);
    const { voice = null } = session.settings;
    if (voice !== null) engine.speaker({ ...before, voice });
    this.#settings = { ...before, ...session.settings };
    this.#ignored = session.ignored;
    if (before.voice !== this.#settings.voice) engine.warm(this.#settings.voice);
    if (before.turn_detection !== this.#settings.turn_detection) inputAudio.applySettings();
    this.#send({ type: 'session.updated', session: this.#present() });
  }

  #respond({ response }: EventOf<'response.create'>, turns: Turns, inputAudio: InputAudio): void {
    if (turns.answer?.active)
      throw new Refusal(
        'conversation_already_has_active_response',
        'A response is already active: wait for it, or cancel it.',
      );
    if (response?.apart || response?.input)
      throw new Refusal(
        'not_supported',
        'Responses outside the conversation are not supported here: use POST /api/v1/chat/completions.',
      );
    const settings = { ...this.#settings, ...response?.settings };
    const asking = { settings, metadata: response?.metadata ?? null };
    // Speech may still be being transcribed.
    if (turns.hasInput || !inputAudio.busy) turns.respond(asking);
    else void inputAudio.transcribed().then(() => this.#answer(asking));
  }

  /** Answers pending input, and reports errors to the client. */
  #answer(asking = { settings: this.#settings, metadata: null as Record<string, string> | null }): void {
    const turns = this.#opened?.turns;
    if (turns === undefined || this.#closed.signal.aborted) return;
    const { answer } = turns;
    // Input that may not interrupt is answered afterwards.
    if (answer?.active) {
      void answer.settled().then(() => this.#answer(asking));
      return;
    }
    try {
      if (turns.hasInput) turns.respond(asking);
    } catch (error) {
      this.#refuse(null, error);
      this.#setState('idle');
    }
  }

  #itemOf(id: string): RealtimeItem {
    const item = this.#items.get(id);
    if (item === undefined) throw new Refusal('item_not_found', 'Item not found.');
    return item;
  }

  #present() {
    const { session, model, engine } = this.#opened as OpenState;
    const voice = speakerVoice(engine, this.#settings);
    return presentRealtimeSession(this.#settings, {
      id: `sess_${this.#caller.requestId}`,
      session_id: session.opened ? session.id : null,
      model,
      voice,
      ignored: this.#ignored,
    });
  }

  #setState(state: VoiceState): void {
    if (state === this.#state || this.#opened === null) return;
    this.#state = state;
    this.#services.voiceStates.set(this.#opened.session.id, state);
  }

  #send(news: RealtimeEventData): void {
    if (!this.#closed.signal.aborted) this.#link.send(news);
  }

  #refuse(event: RealtimeClientEvent | null, thrown: unknown): void {
    const known = thrown instanceof ChorusError || thrown instanceof Refusal;
    if (!known) this.#services.log.error({ err: thrown, request_id: this.#caller.requestId }, 'voice event failed');
    const [code, message] = known
      ? [thrown.code, thrown.message]
      : ['internal_error', 'Something went wrong on our side.'];
    const type =
      thrown instanceof Refusal || (thrown instanceof ChorusError && thrown.status < 500)
        ? 'invalid_request_error'
        : 'server_error';
    this.#send({ type: 'error', error: { type, code, message, param: null, event_id: event?.event_id ?? null } });
  }

  #fail(error: unknown): void {
    this.#refuse(null, error);
    this.#link.close(REALTIME_CLOSE_CODES.internalError, 'The conversation could not be opened. Connect again.');
  }
}

/** Returns the voice to use, or an empty string if no model can speak. */
function speakerVoice(engine: VoiceEngine, settings: RealtimeSettings): string {
  try {
    return engine.speaker(settings).voice ?? '';
  } catch {
    return '';
  }
}
