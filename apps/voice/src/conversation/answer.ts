import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type MessageVoice, newId, toErrorBody } from '@chorus/contract';
import { followTurn, succeeded, TurnStages, type VoiceMark } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import type { AnswerOutcome } from './answer-events.ts';
import type { AnswerParts, AnswerPlan, HeardAnswer } from './answer-plan.ts';
import type { AnswerSound } from './answer-sound.ts';
import { keepAnswer } from './keep-answer.ts';

/** A client that tells what it has heard does so within this, in milliseconds; else the server's clock decides. */
const TRUNCATES_WITHIN_MS = 1_000;

/** How often it is noted how far the answer was heard, in milliseconds. */
const MARK_EVERY_MS = 1_000;

/** An answer that has less to be played than this is over, in milliseconds. */
const NEARLY_OVER_MS = 20;

/** One answer: written by a chat turn through the queue, spoken while it is written, and stored as it was heard. */
export class Answer {
  readonly plan: AnswerPlan;
  readonly #parts: AnswerParts;
  readonly #stages: TurnStages;
  readonly #left = new AbortController();
  readonly #decided = Promise.withResolvers<void>();
  #sound: AnswerSound | null;
  /** What was heard of the text on an earlier socket. */
  #from: AnswerPlan['from'];
  #text = '';
  #interrupted = false;
  /** Of the sound that came over this socket; null: all that was sent. */
  #heardMs: number | null = null;
  /** What speaking has cost that was taken back, in USD; null: the price is not known. */
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
    this.#stages = new TurnStages(plan.began, plan.hearing.transcribedAt);
    this.#sound = this.#openSound();
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Whether something of it is still to come, or to be heard. */
  get audible(): boolean {
    return !this.#over;
  }

  /** Whether it is the one that the protocol calls active: `response.done` was not told. */
  get active(): boolean {
    return !this.#parts.events.ended;
  }

  /** The item that is spoken now. */
  get itemId(): string {
    return this.#parts.events.itemId ?? this.plan.itemId;
  }

  pause(): void {
    this.#sound?.pause();
  }

  resume(): void {
    this.#sound?.resume();
  }

  /** Ends it at once: nothing more is sent, and its turn is cancelled. */
  interrupt(reason: 'turn_detected' | 'client_cancelled'): HeardAnswer {
    if (!this.#over) {
      this.#interrupted = true;
      this.#heardMs = this.#sound?.playedMs ?? null;
      this.#sound?.stop();
      if (this.#begun) this.#cancel();
      this.#parts.events.end({ status: 'cancelled', reason });
      this.#end();
      if ((this.#sound?.sentMs ?? 0) === 0) this.#decided.resolve();
      else setTimeout(() => this.decide(), TRUNCATES_WITHIN_MS).unref();
    }
    return this.#heard();
  }

  /**
   * The client tells how much it has heard of the sound that came over this socket.
   *
   * @returns how much that can be, in milliseconds
   */
  truncate(audioEndMs: number): number {
    if (!this.#over) this.interrupt('client_cancelled');
    this.#interrupted = true;
    this.#heardMs = Math.min(audioEndMs, this.#sound?.sentMs ?? 0);
    this.#decided.resolve();
    // It was stored otherwise before.
    if (this.#stored !== null) this.#stored = this.#stored.then(() => this.#store());
    return this.#heardMs;
  }

  /** Nobody waits any longer for the client to tell what it has heard: the server's clock decides. */
  decide(): void {
    this.#decided.resolve();
  }

  /** Whether it was ended before it was heard to its end. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Resolves once it is stored as it was heard. */
  async settled(): Promise<void> {
    await this.#running;
    await this.#stored;
  }

  /** The socket is gone: what is written goes on, and how far it was heard is noted for another one. */
  async leave(): Promise<void> {
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
        await this.#sound?.end().catch((error: unknown) => this.#parts.onMute(asChorusError(error)));
        this.#stages.reached('audio_ms');
      }
      if (this.#left.signal.aborted) return;
      events.end(outcomeOf(ended));
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
      this.#marking = setInterval(note, MARK_EVERY_MS);
    }
    /** What is not told, since it was heard before. */
    let before = '';
    let isNew = true;
    const text = (delta: string) => {
      this.#text += delta;
      const known = isNew ? delta.slice(0, this.#from.end - before.length) : '';
      before += known;
      const fresh = delta.slice(known.length);
      if (fresh === '' || events.ended) return;
      if (isNew) events.begin(itemId, messageId, before);
      isNew = false;
      this.#stages.reached('first_text_ms');
      events.text(fresh);
      this.#sound?.take(fresh);
    };
    const reset = () => {
      this.#text = '';
      before = '';
      if (isNew || events.ended) return;
      // What was said can't be taken back: the answer begins anew behind it.
      this.#sound?.stop();
      this.#costUsd = this.#sound?.costUsd ?? null;
      this.#from = { end: 0, ms: 0 };
      this.#sound = this.#openSound();
      events.begin(newId('message'), messageId);
    };
    return followTurn({ database, eventLog, owner, record, reader, signal: this.#left.signal }, { text, reset });
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
      if (this.#over || aheadMs < NEARLY_OVER_MS) return;
      await pause(aheadMs);
    }
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#marking !== null) clearInterval(this.#marking);
    if (!this.#left.signal.aborted) void this.#parts.mark(null);
    this.#parts.onOver();
  }

  /** Where the last word that was heard ends in the text. */
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
    const { speaker, hearing, messageId } = this.plan;
    if (speaker === null || this.#sound === null || messageId === null) return;
    const spokenMs = this.#from.ms + this.#sound.sentMs;
    const heardMs = this.#heardMs === null ? spokenMs : this.#from.ms + this.#heardMs;
    const { transcription_model, language } = hearing;
    const costs = [hearing.cost_usd, this.#costUsd, this.#sound.costUsd];
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
      await keepAnswer(database, owner, messageId, { voice, heard });
    } catch (error) {
      log.error({ err: error, message_id: messageId }, 'how an answer was heard could not be stored');
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
