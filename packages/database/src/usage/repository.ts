import { dayAfter, firstIdAt, scopeKey as keyOf, type Owner, type UsageRow, type UserUsageRow } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection } from '../collection.ts';
import { executionCollection } from '../executions/schema.ts';
import { fromStore, upsert } from '../store-errors.ts';

/** The usage of one scope on one day, once it can no longer change. */
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

/** No execution runs longer than an hour, so a day's executions have ended by then. */
const CLOSED_AFTER_MS = 6 * 3_600_000;
const CONCURRENT_DAYS = 4;
const SUM_DEADLINE_MS = 30_000;

/** For days that were closed before estimates were counted. */
const BEFORE_ESTIMATES = { estimated_executions: 0 };

const UNPRICED = { $sum: { $cond: [{ $isNumber: '$usage.cost_usd' }, 0, 1] } };
const ESTIMATED = { $sum: { $cond: [{ $eq: ['$usage.estimated', true] }, 1, 0] } };

/** The cost of executions by scope. It outlives the executions. */
export function createUsageRepository(db: Db) {
  const days = usageCollection.in(db);
  const executions = executionCollection.in(db);

  /** Ids start with their creation time, so a day's executions are one range of an index. */
  const sumUp = async (scopeKey: string, day: string): Promise<StoredUsageDay['rows']> => {
    const from = firstIdAt('job', Date.parse(day));
    const to = firstIdAt('job', Date.parse(dayAfter(day, 1)));
    const found = executions.aggregate<Omit<UsageRow, 'day'>>([
      { $match: { scope_key: scopeKey, _id: { $gte: from, $lt: to } } },
      {
        $group: {
          _id: { model: '$model', api_key_id: { $ifNull: ['$api_key_id', null] } },
          executions: { $sum: 1 },
          input_tokens: { $sum: '$usage.input_tokens' },
          output_tokens: { $sum: '$usage.output_tokens' },
          total_tokens: { $sum: '$usage.total_tokens' },
          cost_usd: { $sum: '$usage.cost_usd' },
          unpriced_executions: UNPRICED,
          estimated_executions: ESTIMATED,
        },
      },
      { $sort: { '_id.model': 1, '_id.api_key_id': 1 } },
      { $replaceWith: { $mergeObjects: ['$_id', '$$ROOT'] } },
      { $unset: '_id' },
    ]);
    return fromStore(found.toArray(), SUM_DEADLINE_MS);
  };

  const sumByUser = async (day: string): Promise<Omit<UserUsageRow, 'day'>[]> => {
    const found = executions.aggregate<Omit<UserUsageRow, 'day'>>([
      {
        $match: {
          _id: { $gte: firstIdAt('job', Date.parse(day)), $lt: firstIdAt('job', Date.parse(dayAfter(day, 1))) },
        },
      },
      {
        $group: {
          _id: '$user_id',
          executions: { $sum: 1 },
          total_tokens: { $sum: '$usage.total_tokens' },
          cost_usd: { $sum: '$usage.cost_usd' },
          unpriced_executions: UNPRICED,
          estimated_executions: ESTIMATED,
        },
      },
      { $sort: { _id: 1 } },
      { $addFields: { user_id: '$_id' } },
      { $unset: '_id' },
    ]);
    return fromStore(found.toArray(), SUM_DEADLINE_MS);
  };

  const close = async (scopeKey: string, day: string): Promise<StoredUsageDay['rows']> => {
    const _id = `${scopeKey}|${day}`;
    const rows = await sumUp(scopeKey, day);
    // The first sum stays, since executions may have been deleted meanwhile.
    await upsert(() => days.updateOne({ _id }, { $setOnInsert: { scope_key: scopeKey, day, rows } }, { upsert: true }));
    return rows;
  };

  return {
    /** Returns the rows of some days, inclusive, oldest first. One round trip for each day that is not closed. */
    report: async (owner: Owner, { from, to }: { from: string; to: string }): Promise<UsageRow[]> => {
      const scopeKey = keyOf(owner);
      const closed = await fromStore(days.find({ scope_key: scopeKey, day: { $gte: from, $lte: to } }).toArray());
      const known = new Map(closed.map(({ day, rows }) => [day, rows]));
      const open: string[] = [];
      for (let day = from; day <= to && Date.parse(day) < Date.now(); day = dayAfter(day, 1))
        if (!known.has(day)) open.push(day);
      while (open.length > 0) {
        const some = open.splice(0, CONCURRENT_DAYS);
        const sums = await Promise.all(
          some.map((day) => (isClosed(day) ? close(scopeKey, day) : sumUp(scopeKey, day))),
        );
        for (const [at, day] of some.entries()) known.set(day, sums[at] ?? []);
      }
      const inOrder = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
      return inOrder.flatMap(([day, rows]) => rows.map((row) => ({ day, ...BEFORE_ESTIMATES, ...row })));
    },
    /** For operators: the rows of some days, inclusive, of all users in all scopes, oldest first. */
    reportByUser: async ({ from, to }: { from: string; to: string }): Promise<UserUsageRow[]> => {
      const rows: UserUsageRow[] = [];
      for (let day = from; day <= to && Date.parse(day) < Date.now(); day = dayAfter(day, 1))
        for (const row of await sumByUser(day)) rows.push({ day, ...row });
      return rows;
    },
    /** Stores the final sum of a day. Call it before the day's executions are deleted. */
    close: async (scopeKey: string, day: string) => {
      await close(scopeKey, day);
    },
  };
}

function isClosed(day: string): boolean {
  return Date.parse(dayAfter(day, 1)) + CLOSED_AFTER_MS < Date.now();
}
