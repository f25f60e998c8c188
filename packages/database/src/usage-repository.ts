import { dayAfter, firstIdAt, scopeKey as keyOf, type UsageRow } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { StoredExecution } from './execution-model.ts';
import type { UsageRepository } from './repositories.ts';
import { fromStore, upsert } from './store-errors.ts';

/** All that one scope used on one day, once nothing of it can change any more. */
export interface StoredUsageDay {
  /** `<scope>|<day>` */
  _id: string;
  scope_key: string;
  day: string;
  rows: Omit<UsageRow, 'day'>[];
}

/** Executions of a day have ended this long after it: none runs for an hour. */
const CLOSED_AFTER_MS = 6 * 3_600_000;

/** Days that are summed up side by side. */
const DAYS_AT_ONCE = 4;

/** A day may have very many executions. */
const SUM_DEADLINE_MS = 30_000;

export function defineUsageModel(connection: Connection) {
  const schema = new Schema<StoredUsageDay>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      day: { type: String, required: true },
      rows: [Schema.Types.Mixed],
    },
    { versionKey: false, collection: 'usage_days' },
  );
  schema.index({ scope_key: 1, day: 1 });
  return connection.model('UsageDay', schema);
}

export function createUsageRepository(
  days: mongo.Collection<StoredUsageDay>,
  executions: mongo.Collection<StoredExecution>,
): UsageRepository {
  /** Ids begin with their time, so a day's executions are a stretch of an index. */
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
          unpriced_executions: { $sum: { $cond: [{ $isNumber: '$usage.cost_usd' }, 0, 1] } },
        },
      },
      { $sort: { '_id.model': 1, '_id.api_key_id': 1 } },
      { $replaceWith: { $mergeObjects: ['$_id', '$$ROOT'] } },
      { $unset: '_id' },
    ]);
    return fromStore(found.toArray(), SUM_DEADLINE_MS);
  };

  const close = async (scopeKey: string, day: string): Promise<StoredUsageDay['rows']> => {
    const _id = `${scopeKey}|${day}`;
    const rows = await sumUp(scopeKey, day);
    // What was summed up first stays: executions may have been deleted since.
    await upsert(() => days.updateOne({ _id }, { $setOnInsert: { scope_key: scopeKey, day, rows } }, { upsert: true }));
    return rows;
  };

  return {
    report: async (owner, { from, to }) => {
      const scopeKey = keyOf(owner);
      const closed = await fromStore(days.find({ scope_key: scopeKey, day: { $gte: from, $lte: to } }).toArray());
      const known = new Map(closed.map(({ day, rows }) => [day, rows]));
      const open: string[] = [];
      for (let day = from; day <= to && Date.parse(day) < Date.now(); day = dayAfter(day, 1))
        if (!known.has(day)) open.push(day);
      while (open.length > 0) {
        const some = open.splice(0, DAYS_AT_ONCE);
        const sums = await Promise.all(
          some.map((day) => (isClosed(day) ? close(scopeKey, day) : sumUp(scopeKey, day))),
        );
        for (const [at, day] of some.entries()) known.set(day, sums[at] ?? []);
      }
      const inOrder = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
      return inOrder.flatMap(([day, rows]) => rows.map((row) => ({ day, ...row })));
    },
    close: async (scopeKey, day) => {
      await close(scopeKey, day);
    },
  };
}

function isClosed(day: string): boolean {
  return Date.parse(dayAfter(day, 1)) + CLOSED_AFTER_MS < Date.now();
}
