import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

const owner = z
  .object({
    scope: z.enum(['personal', 'workspace']),
    user_id: z.string().min(1),
    workspace_id: z.string().min(1).nullable(),
  })
  .refine(({ scope, workspace_id }) => (scope === 'workspace') === (workspace_id !== null));

/** The data of a queued job. The job's name is the execution's kind, its id the execution's id. */
export const jobData = z.object({
  owner,
  /** Validated later by the kind's own schema. */
  input: boundedRecord(z.string(), z.unknown(), 100),
  request_id: z.string().nullable(),
  /** For events to the session's owner. */
  session_id: z.string().nullish(),
  batch_id: z.string().nullish(),
  /** Where it waits for its provider: see `laneOf`. Null or absent: it waits for a place of a worker. */
  lane: z.string().max(300).nullish(),
  /** Channel of the event hub that has followed the execution from the start. Empty: none has. Absent: unknown. */
  hub: z.string().max(100).optional(),
  /** W3C's `traceparent` of the request. Absent: it is not traced. */
  traceparent: z.string().max(100).optional(),
  /** Its budgets, when it reserved money in them, and how much. Absent: it has none. */
  spending: z
    .object({ budgets: z.array(z.string()).max(10), reserved_usd: z.number(), at: z.iso.datetime() })
    .optional(),
  /** Attempts of an earlier job of this execution. Fencing continues from this number. */
  earlier_attempts: z.int().min(0),
});
export type JobData = z.infer<typeof jobData>;
