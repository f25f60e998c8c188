import { z } from 'zod';

/** The query of every list: page size and cursor. */
export const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Page size, 1 to 100.'),
  after: z.string().max(500).optional().describe('`next_cursor` of the previous page.'),
});
export type ListQuery = z.infer<typeof listQuery>;

/** A boolean in a query. */
export const queryFlag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

export function listOf<T extends z.ZodType>(item: T, max = 100) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item).max(max),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  });
}

export interface Page<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

export const deletion = z.object({ id: z.string(), object: z.string(), deleted: z.literal(true) });
