import { EXECUTION_STATUSES, firstIdAt, isTerminal } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { executionCollection, type StoredExecution } from '../executions/schema.ts';
import { readAll, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

const UNFINISHED = EXECUTION_STATUSES.filter((status) => !isTerminal(status));

/** Limits of what a workspace or an API key may spend. */
export interface BudgetRecord {
  /** `workspace:<uuid>` or `key_…` */
  subject: string;
  /** The workspace's scope, or the personal scope of the key's user. Webhooks belong to it. */
  scope_key: string;
  /** The user who set it, or who owns the key. */
  user_id: string;
  daily_usd: number | null;
  monthly_usd: number | null;
  webhook_url: string | null;
}

interface StoredBudget extends Omit<BudgetRecord, 'subject'> {
  _id: string;
}

export const budgetCollection = defineCollection<StoredBudget>('budgets', {
  erasedWith: 'scope',
  indexes: [{ key: { scope_key: 1 } }],
});

/** An execution's cost, for budgets that still reserve it. */
export interface SettledCost extends Pick<StoredExecution, 'model' | 'provider'> {
  id: string;
  ended: boolean;
  cost_usd: number | null;
  /** The amount that it has reserved in each of its budgets. */
  reserved_usd: number;
}

export function createBudgetRepository(db: Db) {
  const budgets = budgetCollection.in(db);
  const executions = executionCollection.in(db);
  return {
    get: async (subject: string) => readOne(budgets.findOne({ _id: requireString(subject) }), budgetOf),
    /** Returns all budgets. Every process keeps them in memory. */
    listAll: async () => readAll(budgets.find(), budgetOf),
    set: async ({ subject, ...fields }: BudgetRecord) => {
      await fromStore(budgets.replaceOne({ _id: requireString(subject) }, fields, { upsert: true }));
    },
    remove: async (subject: string) => {
      await fromStore(budgets.deleteOne({ _id: requireString(subject) }));
    },
    /** Lists unfinished executions of a scope that began since a time, by id. */
    listUnfinished: async (
      scopeKey: string,
      since: Date,
      apiKeyId: string | null,
      { after, limit }: { after: string | undefined; limit: number },
    ) => {
      const found = executions.find({
        scope_key: requireString(scopeKey),
        status: { $in: UNFINISHED },
        _id: after === undefined ? { $gte: firstIdAt('job', since.getTime()) } : { $gt: after },
        ...(apiKeyId !== null && { api_key_id: requireString(apiKeyId) }),
      });
      return readAll(found.sort({ _id: 1 }).limit(limit).project<{ _id: string }>({ _id: 1 }), ({ _id }) => _id);
    },
    costsOf: async (ids: readonly string[]): Promise<SettledCost[]> => {
      const fields = { model: 1, provider: 1, finished_at: 1, 'usage.cost_usd': 1, reserved_usd: 1 } as const;
      const found = executions.find({ _id: { $in: ids.map(requireString) } }).project<{
        _id: string;
        model: string | null;
        provider: string | null;
        finished_at: Date | null;
        usage: { cost_usd: number | null };
        reserved_usd?: number;
      }>(fields);
      return readAll(found, ({ _id: id, model, provider, finished_at, usage, reserved_usd = 0 }) => ({
        id,
        model,
        provider,
        ended: finished_at !== null,
        cost_usd: usage.cost_usd,
        reserved_usd,
      }));
    },
  };
}

const budgetOf = ({ _id: subject, ...fields }: StoredBudget): BudgetRecord => ({ subject, ...fields });
