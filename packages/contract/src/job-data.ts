import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

const owner = z
  .object({
    scope: z.enum(['personal', 'workspace']),
    user_id: z.string().min(1),
    workspace_id: z.string().min(1).nullable(),
  })
  .refine(({ scope, workspace_id }) => (scope === 'workspace') === (workspace_id !== null));

/** What a queue carries; the job's name is the execution's kind and its id the execution's id. */
export const jobData = z.object({
  owner,
  /** Parsed again by the kind's own schema. */
  input: boundedRecord(z.string(), z.unknown(), 100),
  request_id: z.string().nullable(),
  /** For who is told of it. */
  session_id: z.string().nullish(),
  batch_id: z.string().nullish(),
  /** Attempts that an earlier job of this execution had: fences go on counting from there. */
  earlier_attempts: z.int().min(0),
});
export type JobData = z.infer<typeof jobData>;
