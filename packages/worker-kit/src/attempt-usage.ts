import type { Usage } from '@chorus/contract';
import type { ExecutionRecord, KnownUsage } from '@chorus/database';
import { addUsage, isNothing, NO_USAGE } from '@chorus/providers/usage';
import type { AttemptJob, AttemptParts } from './attempt-job.ts';
import type { Known } from './handler.ts';

/** An execution is marked as running at the same time. */
const FIRST_AFTER_MS = 250;
const STORE_EVERY_MS = 2_000;

type UsageJob = Pick<AttemptJob<never>, 'owner' | 'executionId' | 'attempt'>;
type Claimed = Pick<ExecutionRecord, 'usage' | 'known_usage' | 'lost_usage' | 'open_usage'>;

/**
 * Adds up the usage of an execution over all its attempts. Usage that no checkpoint holds is stored every two seconds,
 * so that it is counted even if this process dies.
 */
export class AttemptUsage {
  readonly #store: AttemptParts['store'];
  readonly #job: UsageJob;
  /** Used by broken attempts. */
  #lost: Usage | null = null;
  /** Stored by the attempts before, in total. */
  #earlier: Usage = NO_USAGE;
  /** Used so far, as the handler has noted it. */
  #noted: Usage = NO_USAGE;
  /** The part of it that is not in `#unsaved`. */
  #saved: Usage = NO_USAGE;
  #unsaved: (() => Usage) | null = null;
  #known: Pick<Known, 'model' | 'provider'> = {};
  #storing: NodeJS.Timeout | undefined;
  #isStoring: Promise<void> = Promise.resolve();
  #storedAt = Number.NEGATIVE_INFINITY;
  /** Whether the record may hold usage of this attempt that no checkpoint holds. */
  #isStored = false;
  #isStopped = false;

  constructor({ store }: Pick<AttemptParts, 'store'>, job: UsageJob) {
    this.#store = store;
    this.#job = job;
  }

  /** Adds what the attempts before have used. */
  restore({ usage, known_usage, lost_usage, open_usage }: Claimed): void {
    this.#earlier = known_usage ?? usage;
    if (lost_usage || open_usage) this.#lost = addUsage(lost_usage ?? NO_USAGE, open_usage ?? NO_USAGE);
  }

  get lost(): Usage | null {
    return this.#lost;
  }

  note({ usage, unsaved, model, provider }: Known): void {
    if (usage !== undefined) this.#noted = usage;
    if (unsaved !== undefined) this.#unsaved = unsaved;
    if (this.#unsaved === null) this.#saved = this.#noted;
    this.#known = {
      ...this.#known,
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
    };
    if (!this.#hasNews || this.#storing !== undefined || this.#isStopped) return;
    const waitMs = Math.max(FIRST_AFTER_MS, this.#storedAt + STORE_EVERY_MS - performance.now());
    this.#storing = setTimeout(() => this.#storeNow(), waitMs);
  }

  /**
   * Returns the usage of all attempts.
   *
   * @param own Usage of this attempt, with that of its checkpoint. Null: its handler did not run.
   */
  total(own: Usage | null): Usage {
    if (own === null) return this.#earlier;
    return this.#lost === null ? own : addUsage(this.#lost, own);
  }

  /**
   * Begins to save a checkpoint that holds all usage, once a write that has begun has ended. Returns what to store with
   * it, and what to call afterwards.
   */
  async save(): Promise<{ known: KnownUsage; saved: () => void }> {
    const [noted, unsaved] = [this.#noted, this.#unsaved];
    await this.#pause();
    const known = {
      ...this.#known,
      ...(!isNothing(noted) && { known_usage: this.total(noted) }),
      ...(this.#lost !== null && { lost_usage: this.#lost }),
    };
    const saved = () => {
      this.#saved = noted;
      this.#isStored = false;
      // Another call may have begun during the write.
      if (this.#unsaved === unsaved) this.#unsaved = null;
      this.note({});
    };
    return { known, saved };
  }

  /** Stores the usage of an attempt that leaves its execution to another one. */
  async leave(): Promise<void> {
    await this.#pause();
    this.#isStopped = true;
    if (this.#hasNews) await this.#write();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#storing);
  }

  /** Also if a call that was stored as running has failed, and cost nothing. */
  get #hasNews(): boolean {
    return this.#unsaved !== null || this.#isStored;
  }

  async #pause(): Promise<void> {
    clearTimeout(this.#storing);
    this.#storing = undefined;
    await this.#isStoring;
  }

  #storeNow(): void {
    this.#storing = undefined;
    this.#storedAt = performance.now();
    if (!this.#hasNews) return;
    this.#isStoring = this.#write();
    this.note({});
  }

  async #write(): Promise<void> {
    const open_usage = this.#unsaved?.() ?? NO_USAGE;
    this.#isStored = this.#unsaved !== null;
    const known_usage = this.total(addUsage(this.#saved, open_usage));
    const { owner, executionId, attempt } = this.#job;
    const change = { ...this.#known, known_usage, open_usage, ...(this.#lost !== null && { lost_usage: this.#lost }) };
    await this.#store.executions.saveUsage(owner, executionId, attempt, change).catch(() => undefined);
  }
}
