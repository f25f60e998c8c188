import { firstIdAt } from '@chorus/contract';
import type { Collection } from 'mongodb';
import { fromStored, ownerOf, requireString } from '../collection.ts';
import { readAll, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import { type ExecutionFilter, OWNER, type Projected } from './queries.ts';
import { type ExecutionRecord, executionOf, type StoredExecution } from './schema.ts';

/** The state of an execution that its batch follows. */
export type ExecutionState = Pick<
  ExecutionRecord,
  'id' | 'kind' | 'model' | 'batch_id' | 'status' | 'error' | 'finished_at' | 'economy' | 'awaited_lane'
>;

/** An ended execution with a webhook to deliver. */
export type DueWebhook = Pick<ExecutionRecord, 'id' | 'owner' | 'status' | 'session_id'> & {
  webhook_url: string;
  finished_at: Date;
};

/** An execution that waits for decisions, with a webhook to deliver. */
export type DueActionWebhook = Pick<ExecutionRecord, 'id' | 'owner' | 'session_id' | 'attempt'> & {
  webhook_url: string;
};

const STATE = {
  kind: 1,
  model: 1,
  batch_id: 1,
  status: 1,
  error: 1,
  finished_at: 1,
  economy: 1,
  awaited_lane: 1,
} as const;
const DUE_WEBHOOK = { ...OWNER, status: 1, session_id: 1, webhook_url: 1, finished_at: 1 } as const;
/** Reads and writes of sweeps, retention, webhooks, and the batch feeder, over all owners. */
export function executionUpkeep(executions: Collection<StoredExecution>) {
  return {
    /** For the batch feeder: the states of these executions of any owner. */
    listStates: async (ids: string[]) => {
      const found = executions.find({ _id: { $in: ids.map(requireString) } });
      return readAll(found.project<Projected<typeof STATE>>(STATE), stateOf);
    },
    /** Puts held executions into a part, or moves them from another one. Those that have ended or are not held stay. */
    assignPart: async (ids: readonly string[], from: string | null, to: string) => {
      const held: ExecutionFilter = {
        _id: { $in: ids.map(requireString) },
        'economy.part': from,
        unfinished: { $exists: true },
      };
      await fromStore(executions.updateMany(held, { $set: { 'economy.part': requireString(to) } }));
    },
    /** Stops holding an execution. Returns null if it is not held by this part, or ends. */
    releaseHeld: async (id: string, part: string) => {
      const held: ExecutionFilter = { _id: requireString(id), 'economy.part': requireString(part), status: 'queued' };
      return readOne(
        executions.findOneAndUpdate(held, { $unset: { economy: '' } }, { returnDocument: 'after' }),
        executionOf,
      );
    },
    /** For the batch feeder: ended executions of all owners that their batches have not noted, oldest first. */
    listBatchesDue: async (limit: number) => {
      const due = executions.find({ batch_due: { $gt: '' } }).sort({ batch_due: 1 });
      return readAll(due.limit(limit).project<Projected<typeof STATE>>(STATE), stateOf);
    },
    /** Marks executions as noted by their batches. */
    markBatchesNoted: async (ids: string[]) => {
      await fromStore(executions.updateMany({ batch_due: { $in: ids } }, { $unset: { batch_due: '' } }));
    },
    /** For retention: ended executions of all owners from before `before`, oldest first. */
    listOld: async ({ before, limit }: { before: Date; limit: number }) => {
      const old = { _id: { $lt: firstIdAt('job', before.getTime()) }, finished_at: { $lt: before } };
      const fields = { ...OWNER, created_at: 1 } as const;
      const found = executions.find(old).sort({ _id: 1 }).limit(limit).project<Projected<typeof fields>>(fields);
      return readAll(found, ({ _id, created_at, ...owner }) => ({ id: _id, owner: ownerOf(owner), created_at }));
    },
    /** For the sweep: ended executions of all owners that must not be kept, from before `before`, oldest first. */
    listTransient: async ({ before, limit }: { before: Date; limit: number }) => {
      const found = executions
        .find({ transient: { $gt: '' }, finished_at: { $lt: before } })
        .sort({ transient: 1 })
        .limit(limit)
        .project<Projected<typeof OWNER>>(OWNER);
      return readAll(found, ({ _id, ...owner }) => ({ id: _id, owner: ownerOf(owner) }));
    },
    removeMany: async (ids: string[]) => {
      await fromStore(executions.deleteMany({ _id: { $in: ids } }));
    },
    /** Ended executions of all owners with a webhook to deliver, oldest first. */
    listWebhooksDue: async (limit: number): Promise<DueWebhook[]> => {
      const due = executions.find({ webhook_due: { $gt: '' } }).sort({ webhook_due: 1 });
      const found = due
        .limit(limit)
        .project<Projected<typeof DUE_WEBHOOK> & { webhook_url: string; finished_at: Date }>(DUE_WEBHOOK);
      return readAll(found, fromStored);
    },
    /** Executions of all owners whose wait for decisions has a webhook to deliver, oldest first. */
    listActionWebhooksDue: async (limit: number): Promise<DueActionWebhook[]> => {
      const due = executions.find({ webhook_action_due: { $gt: '' } }).sort({ webhook_action_due: 1 });
      const fields = { ...OWNER, session_id: 1, webhook_url: 1, webhook_action_due: 1 } as const;
      const found = due
        .limit(limit)
        .project<Projected<typeof fields> & { webhook_url: string; webhook_action_due: string }>(fields);
      return readAll(found, ({ webhook_action_due: mark, ...stored }) => ({
        ...fromStored(stored),
        attempt: Number(mark.slice(mark.indexOf('/') + 1)),
      }));
    },
    markActionWebhooksStored: async (due: readonly Pick<DueActionWebhook, 'id' | 'attempt'>[]) => {
      const marks = due.map(({ id, attempt }) => `${id}/${attempt}`);
      const stored: ExecutionFilter = { webhook_action_due: { $in: marks } };
      await fromStore(executions.updateMany(stored, { $unset: { webhook_action_due: '' } }));
    },
    /** Marks webhook deliveries as stored. */
    markWebhooksStored: async (ids: string[]) => {
      await fromStore(executions.updateMany({ webhook_due: { $in: ids } }, { $unset: { webhook_due: '' } }));
    },
    /** For sweeps: unfinished executions of all owners, oldest first. */
    listUnfinished: async ({ olderThan, limit, after }: { olderThan: Date; limit: number; after?: string }) => {
      // Ids start with their creation time, so `unfinished` is ordered by age.
      const old: ExecutionFilter = { unfinished: { $gt: after ?? '' }, created_at: { $lt: olderThan } };
      return readAll(executions.find(old).sort({ unfinished: 1 }).limit(limit), executionOf);
    },
  };
}

function stateOf({ _id, ...standing }: Projected<typeof STATE>): ExecutionState {
  return { id: _id, ...standing };
}
