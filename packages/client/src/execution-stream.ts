import { chorusError } from './chorus-error.ts';
import { advance, type ExecutionProgress, NO_PROGRESS } from './execution-progress.ts';
import type { Execution, StreamFrame } from './generated/api-types.ts';

/** The text of an answer so far. */
export interface TextSoFar {
  /** The whole text. */
  text: string;
  /** The part that just arrived. */
  delta: string;
  /** Discard the previous text, since another worker or model starts over. */
  reset: boolean;
}

/**
 * A running execution. Read it once: as frames, as text, or as states.
 *
 * Leaving the loop stops reading, not the execution.
 */
export class ExecutionStream implements AsyncIterable<StreamFrame> {
  readonly #frames: AsyncGenerator<StreamFrame>;
  readonly #cancel: (id: string) => Promise<Execution>;
  #known = NO_PROGRESS;
  #wantsCancel = false;
  #isRead = false;

  constructor(frames: AsyncGenerator<StreamFrame>, cancel: (id: string) => Promise<Execution>) {
    this.#frames = frames;
    this.#cancel = cancel;
  }

  /** The state so far. */
  get progress(): ExecutionProgress {
    return this.#known;
  }

  /** Id of the execution. Null before the first frame. */
  get executionId(): string | null {
    return this.#known.executionId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamFrame> {
    if (this.#isRead)
      throw new TypeError('A stream is read once; jobs.watch(id, { after }) follows the execution again.');
    this.#isRead = true;
    for await (const frame of this.#frames) {
      const isFirst = this.#known.executionId === null;
      this.#known = advance(this.#known, frame);
      if (isFirst && this.#wantsCancel) await this.#cancel(frame.execution_id);
      yield frame;
    }
  }

  /** Iterates over the state after each frame. */
  async *states(): AsyncGenerator<ExecutionProgress> {
    for await (const _ of this) yield this.#known;
  }

  /**
   * Iterates over the text as it grows. `reset` discards the text of a worker or model that failed.
   */
  async *text(): AsyncGenerator<TextSoFar> {
    let reset = false;
    for await (const frame of this) {
      if (frame.type === 'text.reset') {
        reset = true;
        yield { text: '', delta: '', reset };
      }
      if (frame.type !== 'text.delta') continue;
      yield { text: this.#known.text, delta: frame.delta, reset: false };
    }
  }

  /** Reads to the end and returns the execution, in any status. */
  async done(): Promise<Execution> {
    if (this.#known.execution === null) for await (const _ of this);
    const { execution } = this.#known;
    if (execution === null)
      throw chorusError('unexpected_answer', 'The stream ended without a final frame.', { status: 200 });
    return execution;
  }

  /** Cancels the execution. Its end arrives as a frame. May be called before the first frame. */
  async cancel(): Promise<void> {
    this.#wantsCancel = true;
    if (this.#known.executionId !== null && this.#known.execution === null) await this.#cancel(this.#known.executionId);
  }
}
