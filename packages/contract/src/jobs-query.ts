import { z } from 'zod';
import { EXECUTION_STATUSES } from './execution.ts';
import { listQuery } from './list.ts';

export const jobsQuery = listQuery.extend({
  kind: z.string().max(64).optional(),
  status: z.enum(EXECUTION_STATUSES).optional(),
  batch_id: z.string().max(64).optional(),
});
export type JobsQuery = z.infer<typeof jobsQuery>;
