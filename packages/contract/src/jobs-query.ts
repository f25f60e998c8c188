import { z } from 'zod';
import { type JobKind, KINDS } from './all-kinds.ts';
import { EXECUTION_STATUSES, execution } from './execution.ts';
import { idSchema } from './ids.ts';
import { listQuery, queryFlag } from './list.ts';

const NAMES = Object.keys(KINDS) as [JobKind, ...JobKind[]];

export const jobsQuery = listQuery.extend({
  kind: z.enum(NAMES).optional(),
  status: z.enum(EXECUTION_STATUSES).optional(),
  batch_id: idSchema('batch').optional(),
  standalone: queryFlag.optional().describe('`true`: leaves out items of batches'),
  mine: queryFlag.optional().describe('`true`: only those that you started'),
});
export type JobsQuery = z.infer<typeof jobsQuery>;

/** An execution in a list, with its subject. */
export const job = execution.extend({
  subject: z
    .string()
    .nullable()
    .describe('What it is about: its prompt, question, or file, or the title of its session. Null: unknown'),
});
