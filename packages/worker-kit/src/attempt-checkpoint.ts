import type { JobKind } from '@chorus/contract';
import { withRecord } from '@chorus/executions';
import type { AttemptJob, AttemptParts } from './attempt-job.ts';
import type { AttemptUsage } from './attempt-usage.ts';
import { type Checkpoint, persist } from './handler.ts';

export interface CheckpointParts extends Pick<AttemptParts, 'store' | 'log'> {
  job: Pick<AttemptJob<JobKind>, 'owner' | 'executionId' | 'attempt' | 'forgiveDeaths'>;
  usage: AttemptUsage;
  signal: AbortSignal;
  /** Called when another attempt has taken the execution over. Must abort the signal. */
  onRefused(): void;
}

/** The checkpoint of an execution, as one attempt reads and saves it. */
export class AttemptCheckpoint implements Checkpoint {
  readonly #parts: CheckpointParts;
  #value: unknown = null;
  #hasForgiven = false;
  /** Whether this attempt has done work that no other will repeat. */
  advanced = false;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
  }

  get value(): unknown {
    return this.#value;
  }

  /** Sets the value that an earlier attempt saved. */
  restore(value: unknown): void {
    this.#value = value;
  }

  async save(value: unknown, { advances = false } = {}): Promise<void> {
    const { store, job, usage, signal, onRefused } = this.#parts;
    const { known, saved } = await usage.save();
    const { owner, executionId: id, attempt } = job;
    const { done } = await persist(() =>
      withRecord(
        store,
        { owner, id },
        async () => (await store.executions.saveCheckpoint(owner, id, attempt, value, known)) || null,
        ({ finished_at, attempt: holder }) => finished_at !== null || holder !== attempt,
      ),
    );
    if (!done) onRefused();
    signal.throwIfAborted();
    this.#value = value;
    saved();
    if (!advances) return;
    this.advanced = true;
    this.#forgiveDeaths();
  }

  #forgiveDeaths(): void {
    const { job, log } = this.#parts;
    if (job.attempt === 1 || this.#hasForgiven) return;
    this.#hasForgiven = true;
    job.forgiveDeaths?.().catch((err) => log.warn({ err }, 'another death of a worker would end the job'));
  }
}
