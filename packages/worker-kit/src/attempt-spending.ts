import type { CallSpending, JobData } from '@chorus/contract';
import { type BudgetLedger, budgetExceeded } from '@chorus/executions';

/** Sums of floating-point numbers differ by less. */
const NOISE_USD = 1e-9;

/**
 * Raises what an execution has reserved in its budgets before calls that can cost more, such as further steps of an
 * agent.
 */
export class AttemptSpending implements CallSpending {
  readonly #ledger: Pick<BudgetLedger, 'raise' | 'lower'>;
  readonly #id: string;
  readonly #budgets: readonly string[];
  readonly #at: Date;
  #reservedUsd: number;
  /** The cost of ended calls, and the most that running ones can cost. */
  #spentUsd = 0;
  #runningUsd = 0;

  /** @param attempt of the execution: a later one does not know how much is still reserved */
  constructor(
    ledger: Pick<BudgetLedger, 'raise' | 'lower'>,
    id: string,
    attempt: number,
    spending: NonNullable<JobData['spending']>,
  ) {
    this.#ledger = ledger;
    this.#id = id;
    this.#budgets = spending.budgets;
    this.#at = new Date(spending.at);
    this.#reservedUsd = attempt === 1 ? spending.reserved_usd : 0;
  }

  reserve(mostUsd: number): Promise<void> | undefined {
    this.#runningUsd += mostUsd;
    const usd = this.#spentUsd + this.#runningUsd;
    if (usd <= this.#reservedUsd + NOISE_USD) return undefined;
    return this.#raise(usd).catch((error) => {
      this.#runningUsd -= mostUsd;
      throw error;
    });
  }

  ended(mostUsd: number, costUsd: number | null): void {
    this.#runningUsd -= mostUsd;
    this.#spentUsd += costUsd ?? mostUsd;
  }

  /** Notes the cost of the execution so far, which includes that of earlier attempts. */
  noted(costUsd: number | null): void {
    this.#spentUsd = Math.max(this.#spentUsd, costUsd ?? 0);
  }

  /** Releases what is not spent, while the execution waits for decisions. The next attempt reserves again. */
  async release(): Promise<void> {
    this.#reservedUsd = this.#spentUsd;
    for (const subject of this.#budgets)
      await this.#ledger.lower(subject, { id: this.#id, usd: this.#spentUsd, at: this.#at });
  }

  async #raise(usd: number): Promise<void> {
    for (const subject of this.#budgets) {
      const shortage = await this.#ledger.raise(subject, { id: this.#id, usd, at: this.#at });
      if (shortage !== null) throw budgetExceeded(subject, shortage, new Date());
    }
    this.#reservedUsd = Math.max(this.#reservedUsd, usd);
  }
}
