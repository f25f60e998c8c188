import { LockManager } from 'bullmq';

/**
 * Renews the locks of running jobs at a steady pace. BullMQ compares times of day, so it would renew none for as long
 * as the clock of the machine was set back.
 */
export class SteadyLocks extends LockManager {
  #known: ReadonlySet<string> = new Set();

  override start(): void {
    if (!this.closed) this.#schedule();
  }

  #schedule(): void {
    this.lockRenewalTimer = setTimeout(() => this.#renew(), this.opts.lockRenewTime / 2);
  }

  async #renew(): Promise<void> {
    const ids = this.getTrackedJobIds();
    // A job that was taken since the last time has a fresh lock.
    const due = ids.filter((id) => this.#known.has(id));
    this.#known = new Set(ids);
    if (due.length > 0) await this.extendLocks(due);
    if (!this.closed) this.#schedule();
  }
}
