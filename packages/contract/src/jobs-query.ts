import { z } from 'zod';
import { type JobKind, KINDS } from './all-kinds.ts';
import { EXECUTION_STATUSES } from './execution.ts';
import { idSchema } from './ids.ts';
import { listQuery } from './list.ts';

const NAMES = Object.keys(KINDS) as [JobKind, ...JobKind[]];

export const jobsQuery = listQuery.extend({
  kind: z.enum(NAMES, { error: `must be one of ${NAMES.join(', ')}` }).optional(),
  status: z.enum(EXECUTION_STATUSES).optional(),
  batch_id: idSchema('batch').optional(),
});
export type JobsQuery = z.infer<typeof jobsQuery>;
