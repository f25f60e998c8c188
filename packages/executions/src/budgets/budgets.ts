import { type BudgetPeriod, ChorusError, type Owner, scopeKey } from '@chorus/contract';
import type { BudgetRecord, Database, ExecutionRecord } from '@chorus/database';
import { followSettings, type SettingsConnections } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import { type BudgetLedger, createBudgetLedger, type Spending } from './ledger.ts';
import { openLedgers } from './open-ledgers.ts';
import { periodsAt } from './periods.ts';

export interface BudgetParts extends SettingsConnections {
  database: Pick<Database, 'budgets' | 'usage' | 'workspaces'>;
}

/** An execution that is about to begin. */
export interface Spender {
  id: string;
  kind: string;
  owner: Owner;
  apiKeyId: string | null;
}

type Charged = Pick<ExecutionRecord, 'id' | 'kind' | 'created_at' | 'usage' | 'budgets' | 'model' | 'provider'>;

export interface Budgets {
  /**
   * Reserves money for an execution in all its budgets. Asks Redis only if it has any.
   * @returns the budgets to store with it. Undefined: none
   * @throws {ChorusError} budget_exceeded; store_unavailable
   */
  reserve(spender: Spender): Promise<string[] | undefined> | undefined;
  /** Releases the reservation of an execution that did not begin. */
  release(spender: Pick<Spender, 'id' | 'kind'>, budgets: readonly string[]): void;
  /** See `chargeBudgets`. */
  charge(execution: Charged): void;
  /** Returns the spending of a budget in the period that contains `at`. */
  spending(budget: BudgetRecord, period: BudgetPeriod, at: Date): Promise<Spending>;
  all(): Iterable<BudgetRecord>;
  ledger: BudgetLedger;
  stop(): void;
}

/** Follows the budgets of all workspaces and keys. A change takes effect within a second. */
export async function followBudgets({ database, redis, subscriber, log }: BudgetParts): Promise<Budgets> {
  let known = new Map<string, BudgetRecord>();
  const load = async () => {
    known = new Map((await database.budgets.listAll()).map((budget) => [budget.subject, budget]));
  };
  const stop = await followSettings({ redis, subscriber, log }, 'budgets', load);
  const ledger = createBudgetLedger(redis);

  const reserveIn = async (budget: BudgetRecord, { id, kind }: Spender, at: Date): Promise<void> => {
    const limits = { daily: budget.daily_usd, monthly: budget.monthly_usd };
    let used = await ledger.reserve(budget.subject, limits, { id, kind, at });
    if (used === 'closed') {
      await openLedgers(database, ledger, budget, at);
      used = await ledger.reserve(budget.subject, limits, { id, kind, at });
    }
    if (used === 'closed') throw new ChorusError('store_unavailable', 'The budget could not be read. Try again.');
    if (used !== null) throw exceeded(budget, used, at);
  };

  const release: Budgets['release'] = ({ id, kind }, subjects) => {
    for (const subject of subjects)
      ledger.settle(subject, { id, kind, at: new Date(), costUsd: null }).catch(() => undefined);
  };

  const reserveAll = async (spender: Spender, budgets: readonly BudgetRecord[]): Promise<string[]> => {
    const at = new Date();
    const reserved: string[] = [];
    try {
      for (const budget of budgets) {
        await reserveIn(budget, spender, at);
        reserved.push(budget.subject);
      }
    } catch (error) {
      release(spender, reserved);
      throw error;
    }
    return reserved;
  };

  return {
    reserve(spender) {
      if (known.size === 0) return undefined;
      const { owner, apiKeyId } = spender;
      const subjects = [
        ...(apiKeyId === null ? [] : [apiKeyId]),
        ...(owner.scope === 'workspace' ? [scopeKey(owner)] : []),
      ];
      const budgets = subjects.flatMap((subject) => known.get(subject) ?? []);
      return budgets.length === 0 ? undefined : reserveAll(spender, budgets);
    },
    release,
    charge: (execution) => chargeBudgets(ledger, execution, log),
    async spending(budget, period, at) {
      const spending = await ledger.read(budget.subject, period, at);
      if (spending !== null) return spending;
      await openLedgers(database, ledger, budget, at);
      return (await ledger.read(budget.subject, period, at)) ?? { spentUsd: 0, reservedUsd: 0 };
    },
    all: () => known.values(),
    ledger,
    stop,
  };
}

/** Charges an ended execution to its budgets. Does not wait, and may be lost: maintenance repeats it. */
export function chargeBudgets(ledger: BudgetLedger, execution: Charged, log: Logger): void {
  const { id, kind, created_at: at, usage, budgets = [] } = execution;
  if (budgets.length > 0 && usage.cost_usd === null) warnOfUnpriced(execution, log);
  for (const subject of budgets)
    ledger
      .settle(subject, { id, kind, at, costUsd: usage.cost_usd ?? 0 })
      .catch((err) => log.warn({ err, execution_id: id }, 'charging a budget failed; maintenance repeats it'));
}

const unpriced = new Set<string>();
const MAX_UNPRICED = 1_000;

/** Warns once per model. */
function warnOfUnpriced({ model, provider }: Charged, log: Logger): void {
  if (model === null || provider === null || provider === 'embedded') return;
  if (unpriced.has(model) || unpriced.size === MAX_UNPRICED) return;
  unpriced.add(model);
  log.warn({ model }, 'budgets do not count this model, since its price is unknown; set it in MODEL_PRICES');
}

function exceeded(budget: BudgetRecord, period: BudgetPeriod, at: Date): ChorusError {
  const limit = period === 'daily' ? budget.daily_usd : budget.monthly_usd;
  const { resetsAt } = periodsAt(at)[period];
  const whose = budget.subject.startsWith('workspace:') ? 'this workspace' : 'this API key';
  return new ChorusError(
    'budget_exceeded',
    `The ${period} budget of ${whose}, ${limit} USD, is used up. It resets at ${resetsAt.toISOString()}.`,
    {
      retryAfterS: Math.max(1, Math.ceil((resetsAt.getTime() - at.getTime()) / 1_000)),
      extra: { budget: { subject: budget.subject, period, limit_usd: limit, resets_at: resetsAt.toISOString() } },
    },
  );
}
