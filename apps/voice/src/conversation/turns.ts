import { checkRate, rateSubjectOf } from '@chorus/accounts';
import {
  type ChatSettings,
  newId,
  type RealtimeEventData,
  type RealtimeSettings,
  VOICE_LIMITS,
} from '@chorus/contract';
import { planTurn, type VoiceMark } from '@chorus/conversations';
import type { AgentRecord, ExecutionRecord } from '@chorus/database';
import { chatTurn, spokenTurn, type TurnSettings, turnKnowledge, turnSettings, withAgentTools } from '@chorus/jobs';
import { valueWithin } from '@chorus/runtime/timing';
import type { Caller } from '../caller.ts';
import type { VoiceServices } from '../voice-services.ts';
import { Answer } from './answer.ts';
import { AnswerEvents } from './answer-events.ts';
import { type AnswerPlan, type HeardAnswer, type InputSource, TEXT_INPUT } from './answer-plan.ts';
import { AnswerSound, type Speaker } from './answer-sound.ts';
import type { ConversationItems } from './conversation-items.ts';
import { Refusal } from './refusal.ts';
import type { VoiceEngine } from './voice-engine.ts';

/** Time for the previous turn to end after an interruption; then the session counts as locked. */
const SETTLE_TIMEOUT_MS = 10_000;

/** Number of answers whose playback position is kept. */
const MAX_KEPT_ANSWERS = 16;

export interface UserInput {
  itemId: string;
  text: string;
  /** When it was received, by `performance.now()`. */
  receivedAt: number;
  source: InputSource;
}

export interface ConversationSession {
  /** Reserved in advance until the session is stored. */
  id: string;
  opened: boolean;
  agent: AgentRecord | null;
  model: string | undefined;
}

export interface TurnsParts {
  services: VoiceServices;
  engine: VoiceEngine;
  caller: Caller;
  session: ConversationSession;
  items: ConversationItems;
  send(news: RealtimeEventData): void;
  behindBytes(): number;
  /** Texts of the client's system items, in addition to the instructions. */
  systemTexts(): string[];
  onState(state: 'thinking' | 'speaking' | 'over'): void;
}

export interface ResponseRequest {
  settings: RealtimeSettings;
  metadata: Record<string, string> | null;
}

/** Returns the response id of an execution. */
export const responseIdOf = (executionId: string) => `resp_${executionId.slice('job_'.length)}`;

/** The turns of one conversation: user input since the previous turn, and its answer. */
export class Turns {
  readonly #parts: TurnsParts;
  readonly #answers: Answer[] = [];
  #inputs: UserInput[] = [];
  #before: Promise<void> = Promise.resolve();

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  get answer(): Answer | null {
    const last = this.#answers.at(-1);
    return last?.audible ? last : null;
  }

  /** Whether there is input without an answer. */
  get hasInput(): boolean {
    return this.#inputs.length > 0;
  }

  addInput(said: UserInput): void {
    this.#inputs.push(said);
  }

  removeInput(itemId: string): void {
    this.#inputs = this.#inputs.filter((said) => said.itemId !== itemId);
  }

  /**
   * Answers all input since the previous answer.
   *
   * @throws {Refusal} nothing_to_answer, or the input is too long; {ChorusError} model_not_found: no model can
   * speak
   */
  respond({ settings, metadata }: ResponseRequest): void {
    const { session } = this.#parts;
    const said = this.#inputs;
    // Instructions alone can start an answer, such as a greeting.
    const message = said.map(({ text }) => text).join('\n') || settings.instructions?.trim();
    if (!message)
      throw new Refusal('nothing_to_answer', 'There is nothing to answer: send input or instructions first.');
    if (message.length > VOICE_LIMITS.textCharacters)
      throw new Refusal(
        'invalid_value',
        `The input is too long: at most ${VOICE_LIMITS.textCharacters} characters can be answered at once.`,
      );
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
        this.#inputs = [...said, ...this.#inputs];
        throw error;
      }
    };
    this.#start(settings, metadata, {
      executionId,
      itemId: planned.assistant_message_id,
      messageId: planned.assistant_message_id,
      askedAt: last?.receivedAt ?? performance.now(),
      inputSource: last?.source ?? TEXT_INPUT,
      from: { end: 0, ms: 0 },
      begin,
    });
    this.#inputs = [];
  }

  /** Continues an answer that an earlier socket started to send. */
  resume(settings: RealtimeSettings, record: ExecutionRecord, mark: VoiceMark): void {
    const { hub } = this.#parts.services;
    this.#start(settings, null, {
      executionId: record.id,
      itemId: mark.message_id,
      messageId: mark.message_id,
      askedAt: performance.now(),
      inputSource: TEXT_INPUT,
      from: { end: mark.heard_end, ms: mark.heard_ms },
      begin: async () => ({ record, reader: await hub.open(record.id, 0) }),
    });
  }

  /** Interrupts the current answer; returns null if there is none. */
  interrupt(reason: 'turn_detected' | 'client_cancelled'): HeardAnswer | null {
    return this.answer?.interrupt(reason) ?? null;
  }

  /** Records how much of an answer the client has played. Returns false if it has no audio here. */
  truncate(itemId: string, audioEndMs: number): boolean {
    const answer = this.#answers.findLast((each) => each.itemId === itemId);
    if (answer === undefined || answer.plan.speaker === null) return false;
    answer.truncate(audioEndMs);
    return true;
  }

  /** Detaches the socket. The answer continues, and another socket can send the rest. */
  async detach(): Promise<void> {
    await this.answer?.detach();
    for (const answer of this.#answers) answer.useServerClock();
  }

  /** Resolves once all answers are stored as heard. */
  async settled(): Promise<void> {
    await valueWithin(Promise.all(this.#answers.map((answer) => answer.settled())), SETTLE_TIMEOUT_MS);
  }

  #start(
    settings: RealtimeSettings,
    metadata: Record<string, string> | null,
    plan: Omit<AnswerPlan, 'speaker' | 'cancel'>,
  ): void {
    const { services, engine, caller, session, items, send, behindBytes, onState } = this.#parts;
    const { database, eventLog, log, dispatcher } = services;
    const speaker: Speaker | null = settings.modality === 'audio' ? engine.speaker(settings) : null;
    const events = new AnswerEvents({
      send,
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
        onFinished: () => onState('over'),
        onTruncated: (itemId, audio_end_ms, heard) => {
          items.rewrite(itemId, [{ type: 'output_audio', audio: null, transcript: heard }]);
          send({ type: 'conversation.item.truncated', item_id: itemId, content_index: 0, audio_end_ms });
        },
        mark: (mark) => (messageId === null ? Promise.resolve() : engine.marks.put(session.id, mark)),
        onSpeechError: ({ code, message }) =>
          send({ type: 'error', error: { type: 'server_error', code, message, param: null, event_id: null } }),
      },
    );
    const before = this.#answers.at(-1);
    before?.useServerClock();
    this.#before = before?.interrupted ? before.settled() : Promise.resolve();
    this.#answers.push(answer);
    if (this.#answers.length > MAX_KEPT_ANSWERS) this.#answers.shift();
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
      // The previous turn locks the session until it has ended and is truncated.
      valueWithin(this.#before, SETTLE_TIMEOUT_MS),
    ]);
    if (decision !== null) checkRate(decision);
    const work = chatTurn(database, owner, common, {
      type: 'message',
      message,
      session_id: session.opened ? session.id : undefined,
      agent_id: session.agent?.id ?? null,
      planned,
    });
    const apiKeyId = credential.key?.id ?? null;
    const { record, reader } = await dispatcher.dispatch({ ...work, id, owner, requestId, apiKeyId, follow: true });
    session.opened = true;
    return { record, reader: reader ?? (await hub.open(record.id, 0)) };
  }

  /** @param withInstructions whether to send instructions along with the message */
  async #settings(settings: RealtimeSettings, withInstructions: boolean): Promise<TurnSettings> {
    const { services, session, systemTexts } = this.#parts;
    const { temperature, max_output_tokens } = settings;
    const sampling: ChatSettings = {
      ...(temperature !== null && { temperature }),
      ...(max_output_tokens !== null && { max_tokens: max_output_tokens }),
    };
    const asked = { model: session.model, settings: sampling };
    const common = await turnSettings(services, session.agent, asked);
    const knowledge = turnKnowledge(session.agent, undefined);
    const own = withInstructions ? settings.instructions : null;
    const instructions = [common.instructions, own, ...systemTexts()].filter(Boolean).join('\n\n');
    const turn = { ...common, ...(knowledge && { knowledge }), ...(instructions && { instructions }) };
    const acting = await withAgentTools(services, session.agent, turn, { model: session.model });
    return settings.modality === 'audio' ? spokenTurn(acting) : acting;
  }
}
