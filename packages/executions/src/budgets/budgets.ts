import { type BudgetPeriod, ChorusError, type Demand, findKind, type Owner, scopeKey } from '@chorus/contract';
import type { BudgetRecord, Database, ExecutionRecord } from '@chorus/database';
import { followSettings, type SettingsConnections } from '@chorus/events';
import { mostCostOf } from '@chorus/providers/usage';
import type { Logger } from '@chorus/runtime/log';
import { budgetExceeded } from './budget-exceeded.ts';
import { type BudgetLedger, createBudgetLedger, type Hold, type Spending } from './ledger.ts';
import { openLedgers } from './open-ledgers.ts';
import { unpricedModel } from './unpriced-model.ts';

export interface BudgetParts extends SettingsConnections {
  database: Pick<Database, 'budgets' | 'usage' | 'workspaces'>;
}

/** An execution that is about to begin. */
export interface Spender {
  id: string;
  kind: string;
  owner: Owner;
  apiKeyId: string | null;
  /** The input of its job, once it is known. */
  input: object | Promise<object>;
}

/** The budgets of an execution, and the amount that it has reserved in each. To be stored with it. */
export type Reservation = Required<Pick<ExecutionRecord, 'budgets' | 'reserved_usd'>>;

type Charged = Pick<ExecutionRecord, 'id' | 'created_at' | 'usage' | 'budgets' | 'model' | 'provider'>;

export interface Budgets {
  /**
   * Reserves the most that an execution can cost in all its budgets. Asks Redis only if it has any.
   * @returns Undefined: it has no budget
   * @throws {ChorusError} budget_exceeded; store_unavailable; what `input` rejects with
   */
  reserve(spender: Spender): Promise<Reservation> | undefined;
  /** Releases the reservation of an execution that did not begin. */
  release(id: string, budgets: readonly string[]): void;
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

  const reserveIn = async (budget: BudgetRecord, hold: Hold, at: Date): Promise<void> => {
    const { subject, daily_usd: daily, monthly_usd: monthly } = budget;
    const reserveOnce = () => ledger.reserve(subject, { daily, monthly }, { ...hold, at });
    let shortage = await reserveOnce();
    if (shortage === 'closed') {
      await openLedgers(database, ledger, budget, at);
      shortage = await reserveOnce();
    }
    if (shortage === 'closed') throw new ChorusError('store_unavailable', 'The budget could not be read. Try again.');
    if (shortage !== null) throw budgetExceeded(subject, shortage, at);
  };

  const release: Budgets['release'] = (id, subjects) => {
    for (const subject of subjects)
      ledger.settle(subject, { id, at: new Date(), costUsd: null }).catch(() => undefined);
  };

  const reserveAll = async ({ id, kind, input }: Spender, budgets: readonly BudgetRecord[]): Promise<Reservation> => {
    const usd = mostOf(kind, await input);
    const at = new Date();
    const reserved: string[] = [];
    try {
      for (const budget of budgets) {
        await reserveIn(budget, { id, usd }, at);
        reserved.push(budget.subject);
      }
    } catch (error) {
      release(id, reserved);
      throw error;
    }
    return { budgets: reserved, reserved_usd: usd };
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
      return (await ledger.read(budget.subject, period, at)) ?? { spentUsd: 0, reservedUsd: 0, unpricedModels: [] };
    },
    all: () => known.values(),
    ledger,
    stop,
  };
}

/** Charges an ended execution to its budgets. Does not wait, and may be lost: maintenance repeats it. */
export function chargeBudgets(ledger: BudgetLedger, execution: Charged, log: Logger): void {
  const { id, created_at: at, usage, budgets = [] } = execution;
  const unpriced = unpricedModel({ ...execution, cost_usd: usage.cost_usd });
  if (budgets.length > 0 && unpriced !== undefined) warnOfUnpriced(unpriced, log);
  for (const subject of budgets)
    ledger
      .settle(subject, { id, at, costUsd: usage.cost_usd ?? 0, unpriced })
      .catch((err) => log.warn({ err, execution_id: id }, 'charging a budget failed; maintenance repeats it'));
}

const unpriced = new Set<string>();
const MAX_UNPRICED = 1_000;

/** Warns once per model. */
function warnOfUnpriced(model: string, log: Logger): void {
  if (unpriced.has(model) || unpriced.size === MAX_UNPRICED) return;
  unpriced.add(model);
  log.warn({ model }, 'budgets do not count this model, since its price is unknown; set it in MODEL_PRICES');
}

/** Returns the most that a job can cost at first, in USD. 0: that is unknown, or has no price. */
function mostOf(kind: string, input: object): number {
  const definition = findKind(kind);
  const parsed = definition?.demand && definition.input.safeParse(input);
  return parsed?.success ? (mostCostOf(definition?.demand?.(parsed.data) as Demand) ?? 0) : 0;
}
