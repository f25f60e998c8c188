import { isStoreUnavailable } from '@chorus/contract';
import { fromRedis } from '@chorus/events';

/** Time limit for the answer of Redis, if calls wait for it. */
const ANSWER_MS = 2_000;

export interface StepOptions<Reply> {
  step(): Promise<Reply>;
  apply(reply: Reply): void;
  /** Called if a step failed, and every 2 s while Redis does not answer. */
  onFailure(error: unknown, isOver: boolean): void;
}

/** Runs steps in Redis one at a time. Requests in one turn of the event loop, or during a step, share the next. */
export class StepLoop<Reply> {
  readonly #options: StepOptions<Reply>;
  #isDue = false;
  #isClosed = false;
  #soon: NodeJS.Timeout | undefined;
  #wake: NodeJS.Timeout | undefined;
  isRunning = false;

  constructor(options: StepOptions<Reply>) {
    this.#options = options;
  }

  request(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    if (!this.isRunning) setImmediate(() => void this.#run());
  }

  /** Requests a step within `ms`, unless there is one before. */
  requestWithin(ms: number): void {
    this.#soon ??= setTimeout(() => this.request(), ms);
  }

  /** Schedules a step, in place of the one that was scheduled before. */
  wakeAfter(ms: number | null): void {
    clearTimeout(this.#wake);
    if (ms !== null && !this.#isClosed) this.#wake = setTimeout(() => this.request(), ms);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#soon);
    clearTimeout(this.#wake);
  }

  async #run(): Promise<void> {
    this.isRunning = true;
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      clearTimeout(this.#soon);
      this.#soon = undefined;
      try {
        this.#options.apply(await this.#answer(this.#options.step()));
      } catch (error) {
        if (!this.#isClosed) this.#options.onFailure(error, true);
      }
    }
    this.isRunning = false;
  }

  async #answer(reply: Promise<Reply>): Promise<Reply> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    reply.then(settle, settle);
    for (;;) {
      try {
        return await fromRedis(reply, ANSWER_MS);
      } catch (error) {
        if (isSettled || this.#isClosed || !isStoreUnavailable(error)) throw error;
        this.#options.onFailure(error, false);
      }
    }
  }
}
