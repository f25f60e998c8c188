import type { Progress } from '@chorus/contract';
import { type Announced, announceProgress } from '@chorus/executions';
import type { AttemptParts } from './attempt-job.ts';

const STORE_EVERY_MS = 1_000;

/** Stores the latest progress in the record once a second. Short executions store it with their end. */
export class AttemptProgress {
  readonly #parts: Pick<AttemptParts, 'eventLog' | 'store'>;
  readonly #announced: Announced;
  readonly #attempt: number;
  #latest: Progress | null = null;
  #storedAt = performance.now();
  #storing: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: Pick<AttemptParts, 'eventLog' | 'store'>, announced: Announced, attempt: number) {
    this.#parts = parts;
    this.#announced = announced;
    this.#attempt = attempt;
  }

  get latest(): Progress | null {
    return this.#latest;
  }

  note(progress: Progress): void {
    if (this.#latest === null) announceProgress(this.#parts.eventLog, this.#announced, progress);
    this.#latest = progress;
    if (this.#storing !== undefined || this.#isStopped) return;
    const waitMs = this.#storedAt + STORE_EVERY_MS - performance.now();
    this.#storing = setTimeout(() => this.#store(), Math.max(0, waitMs));
  }

  /** Stops storing. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#storing);
  }

  #store(): void {
    this.#storing = undefined;
    this.#storedAt = performance.now();
    if (this.#latest === null) return;
    const { eventLog, store } = this.#parts;
    const { owner, id } = this.#announced;
    announceProgress(eventLog, this.#announced, this.#latest);
    store.executions.saveProgress(owner, id, this.#attempt, this.#latest).catch(() => undefined);
  }
}
