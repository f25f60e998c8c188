import { firstIdAt, isId } from '@chorus/contract';
import type { Collection } from 'mongodb';
import { ownerOf, requireString } from '../collection.ts';
import { invalidCursor, readAll, readOne, readPage } from '../reading.ts';
import { type ExecutionFilter, OWNER, type Projected, SHOWN } from './queries.ts';
import { type ExecutionRecord, executionOf, type StoredExecution } from './schema.ts';

const OPERATED = {
  ...OWNER,
  kind: 1,
  status: 1,
  model: 1,
  attempt: 1,
  error: 1,
  batch_id: 1,
  created_at: 1,
  started_at: 1,
  finished_at: 1,
} as const;

/** An execution of any owner, without its content. */
export type OperatedExecution = Pick<
  ExecutionRecord,
  'id' | 'owner' | Exclude<keyof typeof OPERATED, keyof typeof OWNER>
>;

export interface OperatedQuery {
  /** `failed`: failed ones that were not retried, newest first. `unfinished`: oldest first. */
  state: 'failed' | 'unfinished';
  /** Default: all. */
  kinds?: readonly string[];
  limit: number;
  after?: string | undefined;
}

/** Excludes items of batches, which retry them themselves. */
const FAILED: ExecutionFilter = { status: 'failed', ...SHOWN, retried_as: { $exists: false }, batch_id: null };

/** Reads for operators, over all owners. */
export function executionOperation(executions: Collection<StoredExecution>) {
  return {
    listForOperators: async ({ state, kinds, limit, after }: OperatedQuery) => {
      if (after !== undefined && !isId('job', after)) throw invalidCursor();
      const ofKinds = kinds && { kind: { $in: [...kinds] } };
      const found =
        state === 'failed'
          ? executions
              .find({ ...FAILED, ...ofKinds, ...(after !== undefined && { _id: { $lt: after } }) })
              .sort({ status: 1, _id: -1 })
          : executions.find({ unfinished: { $gt: after ?? '' }, ...ofKinds }).sort({ unfinished: 1 });
      const some = found.limit(limit + 1).project<Projected<typeof OPERATED>>(OPERATED);
      return readPage(some, limit, operatedOf, (last) => last._id);
    },
    /** Returns the kinds of executions that failed since a time, one per execution. */
    listFailedKinds: async ({ since, limit }: { since: Date; limit: number }) => {
      const recent = { ...FAILED, _id: { $gt: firstIdAt('job', since.getTime()) } };
      const found = executions.find(recent).sort({ status: 1, _id: -1 }).limit(limit);
      return readAll(found.project<Projected<{ kind: 1 }>>({ kind: 1 }), ({ kind }) => kind);
    },
    /** Returns an execution of any owner. */
    getForOperators: async (id: string) =>
      readOne(executions.findOne({ _id: requireString(id), ...SHOWN }), executionOf),
  };
}

function operatedOf({ _id, scope_key, user_id, started_at, ...rest }: Projected<typeof OPERATED>): OperatedExecution {
  return { ...rest, id: _id, owner: ownerOf({ scope_key, user_id }), started_at: started_at ?? null };
}
