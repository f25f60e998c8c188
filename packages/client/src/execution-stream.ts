import { ChorusError } from './chorus-error.ts';
import { advance, type ExecutionProgress, NO_PROGRESS } from './execution-progress.ts';
import type { Execution, StreamFrame } from './generated/api-types.ts';

/** The text of an answer while it is written. */
export interface TextSoFar {
  /** All of it. */
  text: string;
  /** What has just come; after a reset all of it. */
  delta: string;
  /** Whether what was there before is to be taken back: another worker or model begins anew. */
  reset: boolean;
}

/**
 * An execution as it runs. It is read once, as frames, as text or as what is known so far; leaving the loop ends the reading, never the execution.
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

  /** What is known so far. */
  get progress(): ExecutionProgress {
    return this.#known;
  }

  /** Null before the first frame. */
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

  /** What is known after each frame. */
  async *states(): AsyncGenerator<ExecutionProgress> {
    for await (const _ of this) yield this.#known;
  }

  /** The text as it grows. What a worker that died has said is taken back by `reset`. */
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

  /** Reads to the end: the execution, however it ended. */
  async done(): Promise<Execution> {
    if (this.#known.execution === null) for await (const _ of this);
    const { execution } = this.#known;
    if (execution === null)
      throw new ChorusError('unexpected_answer', 'The stream ended without an end.', { status: 200 });
    return execution;
  }

  /** Cancels the execution; its end comes as a frame. Before the first frame it is noted, and done then. */
  async cancel(): Promise<void> {
    this.#wantsCancel = true;
    if (this.#known.executionId !== null && this.#known.execution === null) await this.#cancel(this.#known.executionId);
  }
}
