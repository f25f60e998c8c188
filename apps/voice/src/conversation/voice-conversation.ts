import {
  ChorusError,
  DEFAULT_REALTIME_SETTINGS,
  presentRealtimeSession,
  REALTIME_CLOSE_CODES,
  type RealtimeClientEvent,
  type RealtimeItem,
  type RealtimeNews,
  type RealtimeSettings,
  type VoiceState,
} from '@chorus/contract';
import type { LineHolder } from '@chorus/conversations';
import type { Asked, Caller } from '../caller.ts';
import type { Link } from '../link.ts';
import type { VoiceServices } from '../voice-services.ts';
import { ConversationItems } from './conversation-items.ts';
import { GivenItems } from './given-items.ts';
import { Listening } from './listening.ts';
import { type OpenedTalk, openTalk } from './open-talk.ts';
import { Refusal } from './refusal.ts';
import { responseIdOf, type TalkSession, Turns } from './turns.ts';
import type { OpenVoiceEngine, VoiceEngine } from './voice-engine.ts';

/** Why a conversation ends. `kicked`: the client broke a rule of the socket. */
export type EndReason = 'client_gone' | 'shutdown' | 'revoked' | 'kicked';

/** What a client says before its conversation is open waits, in events. */
const MAX_WAITING = 2_000;

type EventOf<Type extends RealtimeClientEvent['type']> = Extract<RealtimeClientEvent, { type: Type }>;

/** What there is once it is open. */
interface Talk extends OpenedTalk {
  engine: VoiceEngine;
  turns: Turns;
  listening: Listening;
  given: GivenItems;
}

/** What is said on one socket: takes the events of the client and tells it what becomes of them. */
export class VoiceConversation {
  readonly #services: VoiceServices;
  readonly #caller: Caller;
  readonly #link: Link;
  readonly #items: ConversationItems;
  readonly #gone = new AbortController();
  readonly #opening: Promise<void>;
  #settings: RealtimeSettings;
  #ignored: string[] = [];
  #state: VoiceState = 'idle';
  /** What came before the conversation was open; null: it is. */
  #waiting: RealtimeClientEvent[] | null = [];
  #talk: Talk | null = null;

  constructor(services: VoiceServices, engine: OpenVoiceEngine, caller: Caller, asked: Asked, link: Link) {
    this.#services = services;
    this.#caller = caller;
    this.#link = link;
    this.#settings = { ...DEFAULT_REALTIME_SETTINGS, voice: asked.voice ?? caller.agent?.voice ?? null };
    this.#items = new ConversationItems((news) => this.#tell(news));
    this.#opening = this.#open(engine, asked).catch((error: unknown) => this.#fail(error));
  }

  /** Takes an event of the client, in the order in which they came. Never throws. */
  take(event: RealtimeClientEvent): void {
    if (this.#waiting !== null) {
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event);
      return;
    }
    try {
      this.#handle(event);
    } catch (error) {
      this.#refuse(event, error);
    }
  }

  /** Ends all that is under way for it; called once. */
  async end(_reason: EndReason): Promise<void> {
    await this.#leave();
    await this.#talk?.turns.settled();
  }

  /** What is said now stops here, so that another socket can go on with it. */
  async #leave(): Promise<void> {
    this.#gone.abort(new ChorusError('cancelled', 'The socket is gone.'));
    await this.#opening;
    const talk = this.#talk;
    if (talk === null) return;
    talk.listening.close();
    await talk.turns.leave();
    await talk.hangUp();
    this.#setState('idle');
  }

  /** What other processes may ask of it. */
  #holder({ id: session_id }: TalkSession): LineHolder {
    return {
      interrupt: () => {
        const heard = this.#talk?.turns.interrupt('client_cancelled') ?? null;
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
        this.#link.close(REALTIME_CLOSE_CODES.takenOver, 'Another socket goes on with this session.');
      },
    };
  }

  async #open(opening: OpenVoiceEngine, asked: Asked): Promise<void> {
    const engine = await opening.ready();
    engine.warm(this.#settings.voice);
    const talk = await openTalk(this.#services, engine, this.#caller, asked, (session) => this.#holder(session));
    if (this.#gone.signal.aborted) {
      await talk.hangUp();
      return;
    }
    const tell = (news: RealtimeNews) => this.#tell(news);
    const turns: Turns = new Turns({
      services: this.#services,
      engine,
      caller: this.#caller,
      session: talk.session,
      items: this.#items,
      tell,
      behindBytes: () => this.#link.behindBytes,
      systemTexts: () => given.systemTexts,
      onState: (state) => {
        this.#setState(state !== 'over' ? state : listening.busy ? 'listening' : 'idle');
        if (state === 'over') listening.quiet();
      },
    });
    const listening: Listening = new Listening({
      engine,
      sessionId: talk.session.id,
      signal: this.#gone.signal,
      settings: () => this.#settings,
      items: this.#items,
      turns,
      tell,
      onState: (state) => this.#setState(state === 'quiet' ? (turns.answer === null ? 'idle' : this.#state) : state),
      onTurn: () => this.#answer(),
    });
    const given: GivenItems = new GivenItems(this.#items, turns, listening);
    this.#talk = { ...talk, engine, turns, listening, given };
    tell({ type: 'session.created', session: this.#present() });
    this.#checkVoice(engine);
    for (const item of talk.history) this.#items.add(item);
    if (talk.unheard !== null) turns.resume(this.#settings, talk.unheard.record, talk.unheard.mark);
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const event of waiting) this.take(event);
  }

  /** Reports a voice that the socket was opened with and that nobody has, and goes on with the default one. */
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
    const { turns, listening, given } = this.#talk as Talk;
    switch (event.type) {
      case 'session.update':
        this.#update(event, listening);
        break;
      case 'input_audio_buffer.append':
        listening.hear(event.audio);
        break;
      case 'input_audio_buffer.commit':
        listening.commit();
        break;
      case 'input_audio_buffer.clear':
        listening.clear();
        break;
      case 'output_audio_buffer.clear': {
        const heard = turns.interrupt('client_cancelled');
        const response_id = heard === null ? '' : responseIdOf(heard.execution_id);
        this.#tell({ type: 'output_audio_buffer.cleared', response_id });
        break;
      }
      case 'conversation.item.create':
        given.create(event);
        break;
      case 'conversation.item.retrieve':
        this.#tell({ type: 'conversation.item.retrieved', item: { ...this.#itemOf(event.item_id) } });
        break;
      case 'conversation.item.delete':
        given.remove(this.#itemOf(event.item_id));
        break;
      case 'conversation.item.truncate':
        if (!turns.truncate(this.#itemOf(event.item_id).id, event.audio_end_ms))
          throw new Refusal('invalid_value', 'Only an answer that was spoken on this socket can be truncated.');
        break;
      case 'response.create':
        this.#respond(event, turns, listening);
        break;
      case 'response.cancel':
        if (turns.interrupt('client_cancelled') === null)
          throw new Refusal('response_cancel_not_active', 'No response is active that could be cancelled.');
        break;
      default:
        event satisfies never;
    }
  }

  #update({ session }: EventOf<'session.update'>, listening: Listening): void {
    const before = this.#settings;
    const model = session.settings.transcription?.model;
    const { engine } = this.#talk as Talk;
    if (model != null) engine.listener(model);
    const { voice = null } = session.settings;
    if (voice !== null) engine.speaker({ ...before, voice });
    this.#settings = { ...before, ...session.settings };
    this.#ignored = session.ignored;
    if (before.voice !== this.#settings.voice) engine.warm(this.#settings.voice);
    if (before.turn_detection !== this.#settings.turn_detection) listening.adjust();
    this.#tell({ type: 'session.updated', session: this.#present() });
  }

  #respond({ response }: EventOf<'response.create'>, turns: Turns, listening: Listening): void {
    if (turns.answer?.active)
      throw new Refusal('conversation_already_has_active_response', 'A response is active: wait, or cancel it.');
    if (response?.apart || response?.input)
      throw new Refusal(
        'not_supported',
        'Responses apart from the conversation are made by POST /api/v1/chat/completions.',
      );
    const settings = { ...this.#settings, ...response?.settings };
    const asking = { settings, metadata: response?.metadata ?? null };
    // What was said may still be written down.
    if (turns.waiting || !listening.busy) turns.respond(asking);
    else void listening.written().then(() => this.#answer(asking));
  }

  /** Answers what was said; tells where that is not possible. */
  #answer(asking = { settings: this.#settings, metadata: null as Record<string, string> | null }): void {
    const turns = this.#talk?.turns;
    if (turns === undefined || this.#gone.signal.aborted) return;
    const { answer } = turns;
    // Whoever may not interrupt an answer is answered after it.
    if (answer?.active) {
      void answer.settled().then(() => this.#answer(asking));
      return;
    }
    try {
      if (turns.waiting) turns.respond(asking);
    } catch (error) {
      this.#refuse(null, error);
      this.#setState('idle');
    }
  }

  #itemOf(id: string): RealtimeItem {
    const item = this.#items.get(id);
    if (item === undefined) throw new Refusal('item_not_found', 'There is no such item.');
    return item;
  }

  #present() {
    const { session, model, engine } = this.#talk as Talk;
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
    if (state === this.#state || this.#talk === null) return;
    this.#state = state;
    this.#services.voiceStates.tell(this.#talk.session.id, state);
  }

  #tell(news: RealtimeNews): void {
    if (!this.#gone.signal.aborted) this.#link.send(news);
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
    this.#tell({ type: 'error', error: { type, code, message, param: null, event_id: event?.event_id ?? null } });
  }

  #fail(error: unknown): void {
    this.#refuse(null, error);
    this.#link.close(REALTIME_CLOSE_CODES.internalError, 'The conversation could not be opened. Connect again.');
  }
}

/** The voice that speaks; nothing, where nobody can. */
function speakerVoice(engine: VoiceEngine, settings: RealtimeSettings): string {
  try {
    return engine.speaker(settings).voice ?? '';
  } catch {
    return '';
  }
}
