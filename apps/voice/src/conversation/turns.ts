import { checkRate, rateSubjectOf } from '@chorus/accounts';
import { newId, type RealtimeNews, type RealtimeSettings, type SamplingSettings, VOICE_LIMITS } from '@chorus/contract';
import {
  planTurn,
  sessionTurn,
  spokenTurn,
  type TurnSettings,
  turnKnowledge,
  turnSettings,
  type VoiceMark,
} from '@chorus/conversations';
import type { AgentRecord, ExecutionRecord } from '@chorus/database';
import type { Caller } from '../caller.ts';
import type { VoiceServices } from '../voice-services.ts';
import { Answer } from './answer.ts';
import { AnswerEvents } from './answer-events.ts';
import { type AnswerPlan, type HeardAnswer, type Hearing, UNHEARD } from './answer-plan.ts';
import { AnswerSound, type Speaker } from './answer-sound.ts';
import type { ConversationItems } from './conversation-items.ts';
import { Refusal } from './refusal.ts';
import type { VoiceEngine } from './voice-engine.ts';

/** The turn before may take so long to end after it was interrupted, in milliseconds; then the session says that it is locked. */
const SETTLES_WITHIN_MS = 10_000;

/** Of so many answers it is remembered what was heard when. */
const REMEMBERED = 16;

/** Something that the user has said, or written. */
export interface Said {
  itemId: string;
  text: string;
  /** When it was said, by `performance.now()`. */
  at: number;
  hearing: Hearing;
}

/** The stored session of a conversation. */
export interface TalkSession {
  /** Planned, where it is still to be opened. */
  id: string;
  /** Whether it is stored. */
  opened: boolean;
  agent: AgentRecord | null;
  /** `provider/model` that answers, where somebody named one. */
  model: string | undefined;
}

export interface TurnsParts {
  services: VoiceServices;
  engine: VoiceEngine;
  caller: Caller;
  session: TalkSession;
  items: ConversationItems;
  tell(news: RealtimeNews): void;
  behindBytes(): number;
  /** What the system said in items of the client, beside the instructions. */
  systemTexts(): string[];
  onState(state: 'thinking' | 'speaking' | 'over'): void;
}

/** How one answer is asked for. */
export interface Asking {
  settings: RealtimeSettings;
  metadata: Record<string, string> | null;
}

/** Responses are named after the execution that writes them. */
export const responseIdOf = (executionId: string) => `resp_${executionId.slice('job_'.length)}`;

/** The turns of one conversation: each is what the user has said since the one before, and its answer. */
export class Turns {
  readonly #parts: TurnsParts;
  readonly #answers: Answer[] = [];
  #said: Said[] = [];
  #before: Promise<void> = Promise.resolve();

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** The answer that is written or heard now; null: none is. */
  get answer(): Answer | null {
    const last = this.#answers.at(-1);
    return last?.audible ? last : null;
  }

  /** Whether something was said that is not answered yet. */
  get waiting(): boolean {
    return this.#said.length > 0;
  }

  say(said: Said): void {
    this.#said.push(said);
  }

  forget(itemId: string): void {
    this.#said = this.#said.filter((said) => said.itemId !== itemId);
  }

  /**
   * Answers what was said since the last answer.
   *
   * @throws {Refusal} nothing_to_answer, or it is too long; {ChorusError} model_not_found: nobody can speak
   */
  respond({ settings, metadata }: Asking): void {
    const { session } = this.#parts;
    const said = this.#said;
    // Instructions alone, such as to greet somebody, are what is answered.
    const message = said.map(({ text }) => text).join('\n') || settings.instructions?.trim();
    if (!message) throw new Refusal('nothing_to_answer', 'Nothing was said that could be answered.');
    if (message.length > VOICE_LIMITS.textCharacters)
      throw new Refusal('invalid_value', `What is answered at once has ${VOICE_LIMITS.textCharacters} characters.`);
    const last = said.at(-1);
    const planned = planTurn(session.id);
    if (last?.itemId.startsWith('msg_')) planned.user_message_id = last.itemId;
    const executionId = newId('job');
    const begin = async () => {
      try {
        const begun = await this.#dispatch(executionId, message, this.#settings(settings, said.length > 0), planned);
        for (const { itemId } of said) {
          const item = this.#parts.items.get(itemId);
          if (item !== undefined) item.message_id = planned.user_message_id;
        }
        return begun;
      } catch (error) {
        this.#said = [...said, ...this.#said];
        throw error;
      }
    };
    this.#start(settings, metadata, {
      executionId,
      itemId: planned.assistant_message_id,
      messageId: planned.assistant_message_id,
      began: last?.at ?? performance.now(),
      hearing: last?.hearing ?? UNHEARD,
      from: { end: 0, ms: 0 },
      begin,
    });
    this.#said = [];
  }

  /** Goes on with an answer that an earlier socket had begun to tell. */
  resume(settings: RealtimeSettings, record: ExecutionRecord, mark: VoiceMark): void {
    const { hub } = this.#parts.services;
    this.#start(settings, null, {
      executionId: record.id,
      itemId: mark.message_id,
      messageId: mark.message_id,
      began: performance.now(),
      hearing: UNHEARD,
      from: { end: mark.heard_end, ms: mark.heard_ms },
      begin: async () => ({ record, reader: await hub.open(record.id, 0) }),
    });
  }

  /** Ends the answer that is written or heard now. Null: there is none. */
  interrupt(reason: 'turn_detected' | 'client_cancelled'): HeardAnswer | null {
    return this.answer?.interrupt(reason) ?? null;
  }

  /** The client tells how much of an answer it has heard. False: there is no such answer, or none that sounds. */
  truncate(itemId: string, audioEndMs: number): boolean {
    const answer = this.#answers.findLast((each) => each.itemId === itemId);
    if (answer === undefined || answer.plan.speaker === null) return false;
    answer.truncate(audioEndMs);
    return true;
  }

  /** The socket is gone. What is written goes on, and another socket may tell the rest. */
  async leave(): Promise<void> {
    await this.answer?.leave();
    for (const answer of this.#answers) answer.decide();
  }

  /** Resolves once all answers are stored as they were heard. */
  async settled(): Promise<void> {
    await within(SETTLES_WITHIN_MS, Promise.all(this.#answers.map((answer) => answer.settled())));
  }

  #start(
    settings: RealtimeSettings,
    metadata: Record<string, string> | null,
    plan: Omit<AnswerPlan, 'speaker' | 'cancel'>,
  ): void {
    const { services, engine, caller, session, items, tell, behindBytes, onState } = this.#parts;
    const { database, eventLog, log, dispatcher } = services;
    const speaker: Speaker | null = settings.modality === 'audio' ? engine.speaker(settings) : null;
    const events = new AnswerEvents({
      tell,
      items,
      modality: settings.modality,
      response: {
        id: responseIdOf(plan.executionId),
        audio: { output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: speaker?.voice ?? '' } },
        max_output_tokens: settings.max_output_tokens ?? 'inf',
        metadata,
        execution_id: plan.executionId,
        session_id: session.id,
        conversation_id: session.id,
      },
    });
    const { executionId, messageId } = plan;
    const answer = new Answer(
      { ...plan, speaker, cancel: (id) => dispatcher.cancel(caller.owner, id) },
      {
        database,
        eventLog,
        log: log.child({ request_id: caller.requestId, execution_id: executionId }),
        owner: caller.owner,
        events,
        openSound:
          speaker &&
          ((send) => new AnswerSound({ send, behindBytes, speaker, executionId, providers: engine.providers })),
        onSpeaking: () => onState('speaking'),
        onOver: () => onState('over'),
        onTruncated: (itemId, audio_end_ms, heard) => {
          items.rewrite(itemId, [{ type: 'output_audio', audio: null, transcript: heard }]);
          tell({ type: 'conversation.item.truncated', item_id: itemId, content_index: 0, audio_end_ms });
        },
        mark: (mark) => (messageId === null ? Promise.resolve() : engine.marks.put(session.id, mark)),
        onMute: ({ code, message }) =>
          tell({ type: 'error', error: { type: 'server_error', code, message, param: null, event_id: null } }),
      },
    );
    const before = this.#answers.at(-1);
    before?.decide();
    this.#before = before?.interrupted ? before.settled() : Promise.resolve();
    this.#answers.push(answer);
    if (this.#answers.length > REMEMBERED) this.#answers.shift();
    onState('thinking');
    answer.start();
  }

  async #dispatch(id: string, message: string, settings: Promise<TurnSettings>, planned: ReturnType<typeof planTurn>) {
    const { services, caller, session } = this.#parts;
    const { database, dispatcher, rateLimits, hub } = services;
    const { owner, credential, requestId } = caller;
    const [common, decision] = await Promise.all([
      settings,
      rateLimits.take(rateSubjectOf(credential), 'executions'),
      // The turn before holds the session until it has ended, and is cut to what was heard of it.
      within(SETTLES_WITHIN_MS, this.#before),
    ]);
    if (decision !== null) checkRate(decision);
    const work = sessionTurn(database, owner, common, {
      message,
      attachments: undefined,
      session_id: session.opened ? session.id : undefined,
      agent_id: session.agent?.id ?? null,
      planned,
    });
    const apiKeyId = credential.key?.id ?? null;
    const { record, reader } = await dispatcher.dispatch({ ...work, id, owner, requestId, apiKeyId, follow: true });
    session.opened = true;
    return { record, reader: reader ?? (await hub.open(record.id, 0)) };
  }

  /** @param told whether instructions are told beside what is answered */
  async #settings(settings: RealtimeSettings, told: boolean): Promise<TurnSettings> {
    const { services, session, systemTexts } = this.#parts;
    const { temperature, max_output_tokens } = settings;
    const sampling: SamplingSettings = {
      ...(temperature !== null && { temperature }),
      ...(max_output_tokens !== null && { max_tokens: max_output_tokens }),
    };
    const asked = { model: session.model, settings: sampling };
    const common = await turnSettings(services, session.agent, asked);
    const knowledge = turnKnowledge(session.agent, undefined);
    const own = told ? settings.instructions : null;
    const instructions = [common.instructions, own, ...systemTexts()].filter(Boolean).join('\n\n');
    const turn = { ...common, ...(knowledge && { knowledge }), ...(instructions && { instructions }) };
    return settings.modality === 'audio' ? spokenTurn(turn) : turn;
  }
}

/** Waits so long at most. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
