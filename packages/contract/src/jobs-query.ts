import { z } from 'zod';
import { EXECUTION_STATUSES } from './execution.ts';
import { idSchema } from './ids.ts';
import { JOBS, type JobKind } from './jobs/index.ts';
import { listQuery } from './list.ts';

const KINDS = Object.keys(JOBS) as [JobKind, ...JobKind[]];

export const jobsQuery = listQuery.extend({
  kind: z.enum(KINDS, { error: `must be one of ${KINDS.join(', ')}` }).optional(),
  status: z.enum(EXECUTION_STATUSES).optional(),
  batch_id: idSchema('batch').optional(),
});
export type JobsQuery = z.infer<typeof jobsQuery>;
