import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type MessageVoice, newId, type RequiredAction, toErrorBody } from '@chorus/contract';
import { followTurn, succeeded, TurnStages, type VoiceMark } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import type { SpokenNotice } from '@chorus/speech';
import type { AnswerOutcome } from './answer-events.ts';
import type { AnswerParts, AnswerPlan, HeardAnswer } from './answer-plan.ts';
import type { AnswerSound } from './answer-sound.ts';
import { storeSpokenAnswer } from './store-spoken-answer.ts';

/** Time for the client to report what it played; then the server's clock decides. */
const TRUNCATE_TIMEOUT_MS = 1_000;

const MARK_INTERVAL_MS = 1_000;

/** An answer with less audio left than this counts as finished. */
const MIN_REMAINING_MS = 20;

/** One answer: written by a chat turn, spoken while it is written, and stored up to what was heard. */
export class Answer {
  readonly plan: AnswerPlan;
  readonly #parts: AnswerParts;
  readonly #stages: TurnStages;
  readonly #left = new AbortController();
  readonly #decided = Promise.withResolvers<void>();
  #sound: AnswerSound | null;
  /** Part heard on an earlier socket. */
  #from: AnswerPlan['from'];
  #text = '';
  #interrupted = false;
  /** Audio heard on this socket; null means all that was sent. */
  #heardMs: number | null = null;
  /** Cost of discarded speech; null if the price is unknown. */
  #costUsd: number | null = 0;
  #over = false;
  #begun = false;
  #marking: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #stored: Promise<void> | null = null;

  constructor(plan: AnswerPlan, parts: AnswerParts) {
    this.plan = plan;
    this.#parts = parts;
    this.#from = plan.from;
    this.#stages = new TurnStages(plan.askedAt, plan.inputSource.transcribedAt);
    this.#sound = this.#openSound();
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Whether text or audio is still to come or to be played. */
  get audible(): boolean {
    return !this.#over;
  }

  /** Whether the response is active in the protocol's sense: `response.done` was not sent. */
  get active(): boolean {
    return !this.#parts.events.ended;
  }

  get itemId(): string {
    return this.#parts.events.itemId ?? this.plan.itemId;
  }

  pause(): void {
    this.#sound?.pause();
  }

  resume(): void {
    this.#sound?.resume();
  }

  /** Stops audio at once and cancels the turn. */
  interrupt(reason: 'turn_detected' | 'client_cancelled'): HeardAnswer {
    if (!this.#over) {
      this.#interrupted = true;
      this.#heardMs = this.#sound?.playedMs ?? null;
      this.#sound?.stop();
      if (this.#begun) this.#cancel();
      this.#parts.events.end({ status: 'cancelled', reason });
      this.#end();
      if ((this.#sound?.sentMs ?? 0) === 0) this.#decided.resolve();
      else setTimeout(() => this.useServerClock(), TRUNCATE_TIMEOUT_MS).unref();
    }
    return this.#heard();
  }

  /**
   * Records how much audio of this socket the client has played.
   *
   * @returns the position, limited to what was sent
   */
  truncate(audioEndMs: number): number {
    if (!this.#over) this.interrupt('client_cancelled');
    this.#interrupted = true;
    this.#heardMs = Math.min(audioEndMs, this.#sound?.sentMs ?? 0);
    this.#decided.resolve();
    // Replaces what was stored before.
    if (this.#stored !== null) this.#stored = this.#stored.then(() => this.#store());
    return this.#heardMs;
  }

  /** Stops waiting for the client's report and uses the server's clock. */
  useServerClock(): void {
    this.#decided.resolve();
  }

  /** Whether it was stopped before all of it was heard. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  async settled(): Promise<void> {
    await this.#running;
    await this.#stored;
  }

  /** Detaches the socket. The turn continues, and the position is stored for another socket. */
  async detach(): Promise<void> {
    if (this.#over) return;
    this.#heardMs = this.#sound?.playedMs ?? null;
    const mark = this.#mark();
    this.#left.abort();
    this.#end();
    this.#sound?.stop();
    await Promise.all([this.#parts.mark(mark), this.#store()]);
  }

  async #run(): Promise<void> {
    const { events } = this.#parts;
    events.created();
    let ended: ExecutionRecord | null = null;
    try {
      ended = await this.#write();
      this.#stages.reached('text_ms');
      if (!events.ended) {
        succeeded(ended);
        await this.#sound?.end().catch((error: unknown) => this.#parts.onSpeechError(asChorusError(error)));
        this.#stages.reached('audio_ms');
      }
      if (this.#left.signal.aborted) return;
      const unspoken = this.#sound?.findUnspoken(this.#text) ?? null;
      events.end(outcomeOf(ended), [...ended.warnings, ...(unspoken === null ? [] : [unspoken])]);
      await this.#playedOut();
    } catch (error) {
      if (this.#left.signal.aborted) return;
      this.#sound?.stop();
      events.end({ status: 'failed', error: toErrorBody(asChorusError(error), null) });
    }
    if (this.#left.signal.aborted) return;
    this.#end();
    if (ended === null) return;
    if (this.#interrupted) await this.#decided.promise;
    this.#stored = this.#store();
    await this.#stored;
  }

  async #write(): Promise<ExecutionRecord> {
    const { database, eventLog, owner, events } = this.#parts;
    const { begin, itemId, messageId } = this.plan;
    const { record, reader } = await begin();
    this.#begun = true;
    if (this.#interrupted) this.#cancel();
    const note = () => void this.#parts.mark(this.#mark());
    if (!this.#over) {
      note();
      this.#marking = setInterval(note, MARK_INTERVAL_MS);
    }
    /** Text heard on an earlier socket, which is not sent again. */
    let before = '';
    let isNew = true;
    const beginItem = () => {
      if (isNew) events.begin(itemId, messageId, before);
      isNew = false;
    };
    const text = (delta: string) => {
      this.#text += delta;
      const known = isNew ? delta.slice(0, this.#from.end - before.length) : '';
      before += known;
      const fresh = delta.slice(known.length);
      if (fresh === '' || events.ended) return;
      beginItem();
      this.#stages.reached('first_text_ms');
      events.text(fresh);
      this.#sound?.take(fresh);
    };
    const reset = () => {
      this.#text = '';
      before = '';
      if (isNew || events.ended) return;
      // Spoken audio cannot be taken back: the new text follows it.
      this.#sound?.stop();
      this.#costUsd = this.#sound?.costUsd ?? null;
      this.#from = { end: 0, ms: 0 };
      this.#sound = this.#openSound();
      events.begin(newId('message'), messageId);
    };
    /** Says something that is not part of the answer, after the part that an earlier socket sent. */
    const say = (notice: SpokenNotice) => {
      if (events.ended || this.#sound === null || before.length < this.#from.end) return;
      beginItem();
      this.#sound.say(notice, this.plan.inputSource.language);
    };
    const waits = (action: RequiredAction) => {
      if (!events.ended) events.waits(action);
      say('approval');
      return false;
    };
    const listener = { text, reset, waits, slow: () => say('moment') };
    return followTurn({ database, eventLog, owner, record, reader, signal: this.#left.signal }, listener);
  }

  #openSound(): AnswerSound | null {
    const { openSound, events, onSpeaking } = this.#parts;
    if (openSound === null) return null;
    let isFirst = true;
    return openSound((pcm, offsetMs) => {
      if (isFirst) {
        this.#stages.reached('first_audio_ms');
        onSpeaking();
      }
      isFirst = false;
      events.sound(pcm, offsetMs);
    });
  }

  #cancel(): void {
    const { log } = this.#parts;
    this.plan.cancel(this.plan.executionId).catch((error: unknown) => log.warn({ err: error }, 'turn not cancelled'));
  }

  async #playedOut(): Promise<void> {
    for (;;) {
      const aheadMs = this.#sound?.aheadMs ?? 0;
      if (this.#over || aheadMs < MIN_REMAINING_MS) return;
      await pause(aheadMs);
    }
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#marking !== null) clearInterval(this.#marking);
    if (!this.#left.signal.aborted) void this.#parts.mark(null);
    this.#parts.onFinished();
  }

  /** Returns where the last heard word ends in the text. */
  #heardEnd(): number {
    if (this.#sound === null) return this.#text.length;
    return this.#from.end + this.#sound.heard(this.#heardMs ?? this.#sound.playedMs).end;
  }

  #heard(): HeardAnswer {
    const { executionId, messageId } = this.plan;
    const ms = this.#sound === null ? null : Math.round(this.#from.ms + (this.#heardMs ?? this.#sound.playedMs));
    const text = this.#text.slice(0, this.#heardEnd());
    return { execution_id: executionId, message_id: messageId, heard_ms: ms, text };
  }

  #mark(): VoiceMark | null {
    const { execution_id, message_id, heard_ms } = this.#heard();
    if (message_id === null) return null;
    return { execution_id, message_id, heard_end: this.#heardEnd(), heard_ms: heard_ms ?? 0 };
  }

  async #store(): Promise<void> {
    const { database, owner, log, onTruncated } = this.#parts;
    const { speaker, inputSource, messageId } = this.plan;
    if (speaker === null || this.#sound === null || messageId === null) return;
    const spokenMs = this.#from.ms + this.#sound.sentMs;
    const heardMs = this.#heardMs === null ? spokenMs : this.#from.ms + this.#heardMs;
    const { transcription_model, language } = inputSource;
    const costs = [inputSource.cost_usd, this.#costUsd, this.#sound.costUsd];
    const voice: MessageVoice = {
      transcription_model,
      language,
      speech_model: speaker.model,
      voice: speaker.voice,
      spoken_ms: Math.round(spokenMs),
      heard_ms: Math.round(heardMs),
      interrupted: this.#interrupted,
      cost_usd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
      stages: this.#stages.times,
    };
    const heard = this.#interrupted ? this.#text.slice(0, this.#heardEnd()) : null;
    try {
      await storeSpokenAnswer(database, owner, messageId, { voice, heard });
    } catch (error) {
      log.error({ err: error, message_id: messageId }, 'heard part of answer not stored');
    }
    if (heard !== null) onTruncated(this.itemId, Math.round(this.#heardMs ?? 0), heard);
  }
}

function outcomeOf({ finish_reason, usage }: ExecutionRecord): AnswerOutcome {
  if (finish_reason === 'length') return { status: 'incomplete', reason: 'max_output_tokens', usage };
  if (finish_reason === 'content_filter') return { status: 'incomplete', reason: 'content_filter', usage };
  return { status: 'completed', usage };
}

function asChorusError(error: unknown): ChorusError {
  if (error instanceof ChorusError) return error;
  return new ChorusError('internal_error', 'Something went wrong on our side.', { cause: error });
}
