import { dayAfter, firstIdAt, scopeKey as keyOf, type Owner, type UsageRow, type UserUsageRow } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection } from '../collection.ts';
import { executionCollection } from '../executions/schema.ts';
import { fromStore } from '../store-errors.ts';
import { createUsageSums, NOTHING } from './sums.ts';

type Counts = typeof NOTHING;

/** The usage of one scope on one day that an earlier version has stored. Its executions may be deleted. */
interface StoredUsageDay {
  /** `<scope>|<day>` */
  _id: string;
  scope_key: string;
  day: string;
  rows: Omit<UsageRow, 'day'>[];
}

export const usageCollection = defineCollection<StoredUsageDay>('usage_days', {
  erasedWith: 'scope',
  indexes: [{ key: { scope_key: 1, day: 1 } }],
});

interface Days {
  from: string;
  to: string;
}

const SUM_DEADLINE_MS = 30_000;
const COUNTS = Object.keys(NOTHING) as (keyof Counts)[];

/** The usage of executions. It outlives them. */
export function createUsageRepository(db: Db) {
  const days = usageCollection.in(db);
  const executions = executionCollection.in(db);
  const sums = createUsageSums(db);

  /** Reads the executions instead, until the sums have those of earlier versions. */
  const readExecutions = async (filter: { scope_key?: string }, { from, to }: Days) => {
    const [first, end] = [from, dayAfter(to, 1)].map((day) => firstIdAt('job', Date.parse(day))) as [string, string];
    const found = executions.aggregate<Omit<Counts, 'cost_usd'> & { _id: Omit<Row, keyof Counts>; cost_usd: number }>([
      { $match: { ...filter, finished_at: { $ne: null }, _id: { $gte: first, $lt: end } } },
      {
        $group: {
          _id: {
            day: { $dateToString: { date: '$created_at', format: '%Y-%m-%d' } },
            user_id: '$user_id',
            model: '$model',
            api_key_id: { $ifNull: ['$api_key_id', null] },
          },
          executions: { $sum: 1 },
          input_tokens: { $sum: '$usage.input_tokens' },
          output_tokens: { $sum: '$usage.output_tokens' },
          total_tokens: { $sum: '$usage.total_tokens' },
          cost_usd: { $sum: '$usage.cost_usd' },
          unpriced_executions: { $sum: { $cond: [{ $isNumber: '$usage.cost_usd' }, 0, 1] } },
          estimated_executions: { $sum: { $cond: [{ $eq: ['$usage.estimated', true] }, 1, 0] } },
        },
      },
    ]);
    const rows = await fromStore(found.toArray(), SUM_DEADLINE_MS);
    return rows.map(({ _id, ...counts }): Row => ({ ..._id, ...counts }));
  };

  const read = async (filter: { scope_key?: string }, asked: Days): Promise<Row[]> => {
    if (!(await sums.isFilled())) return readExecutions(filter, asked);
    await sums.collect();
    return sums.read(filter, asked);
  };

  return {
    /** Returns the rows of some days, inclusive, oldest first. */
    report: async (owner: Owner, asked: Days): Promise<UsageRow[]> => {
      const scope_key = keyOf(owner);
      const { from, to } = asked;
      const [stored, read_] = await Promise.all([
        fromStore(days.find({ scope_key, day: { $gte: from, $lte: to } }).toArray()),
        read({ scope_key }, asked),
      ]);
      const earlier = new Set(stored.map(({ day }) => day));
      const rows = [
        ...stored.flatMap(({ day, rows }) => rows.map((row) => ({ ...NOTHING, day, ...row }))),
        ...read_.filter(({ day }) => !earlier.has(day)),
      ];
      return addUp(rows, ({ day, model, api_key_id }) => ({ day, model, api_key_id }));
    },
    /** For operators: the rows of some days, inclusive, of all users in all scopes, oldest first. */
    reportByUser: async (asked: Days): Promise<UserUsageRow[]> => {
      const rows = addUp(await read({}, asked), ({ day, user_id }) => ({ day, user_id }));
      return rows.map(({ input_tokens: _, output_tokens: __, ...row }) => row);
    },
    /** Adds ended executions to the sums. Call it before they are deleted. */
    collect: sums.collect,
    /** See `createUsageSums`. */
    fill: sums.fill,
    isFilled: sums.isFilled,
  };
}

interface Row extends UsageRow {
  user_id: string;
}

/** Adds up rows with the same key, in the order of their keys. */
function addUp<From extends Counts, Key extends Record<string, string | null>>(
  rows: readonly From[],
  keyOf: (row: From) => Key,
): (Key & Counts)[] {
  const added = new Map<string, Key & Counts>();
  for (const row of rows) {
    const key = keyOf(row);
    const name = JSON.stringify(Object.values(key).map((value) => value ?? ''));
    const sum = added.get(name) ?? { ...key, ...NOTHING };
    for (const count of COUNTS) (sum as Counts)[count] += row[count];
    added.set(name, sum);
  }
  const inOrder = [...added].sort(([one], [other]) => (one < other ? -1 : 1));
  // Rounds to 10⁻¹² USD to hide floating-point noise.
  return inOrder.map(([, sum]) => ({ ...sum, cost_usd: Math.round(sum.cost_usd * 1e12) / 1e12 }));
}
