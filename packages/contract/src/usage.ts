import { z } from 'zod';

const DAY_MS = 86_400_000;

const MAX_DAYS = 92;

/** Maximum rows of a response: models and keys of each day. */
const MAX_ROWS = 1_000_000;

const day = z.iso.date({ error: 'must be a day such as 2026-03-31' });

/** `GET /usage`: days in UTC, both inclusive; by default the last 30. */
export const usageQuery = z
  .strictObject({
    from: day.optional().describe('First day, in UTC; default: 29 days before `to`.'),
    to: day.optional().describe('Last day, in UTC; default: today.'),
  })
  .transform(({ from, to }) => {
    const last = to ?? new Date().toISOString().slice(0, 10);
    return { from: from ?? dayAfter(last, -29), to: last };
  })
  .refine(({ from, to }) => from <= to, { path: ['from'], error: 'must not be after `to`' })
  .refine(({ from, to }) => dayAfter(from, MAX_DAYS) > to, {
    path: ['from'],
    error: `must span at most ${MAX_DAYS} days`,
  });
export type UsageQuery = z.infer<typeof usageQuery>;

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

const counts = {
  executions: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number().describe('Of the executions with a known price'),
  unpriced_executions: z.int().describe('Number of executions with an unknown price'),
  estimated_executions: z.int().describe('Number of executions whose usage is partly an upper estimate'),
};

/** The usage of one model on one day with one API key. Null key: users who were logged in. */
export const usageRow = z.object({
  day: z.iso.date(),
  model: z.string().nullable(),
  api_key_id: z.string().nullable(),
  ...counts,
});
export type UsageRow = z.infer<typeof usageRow>;

export const usageReport = z.object({
  object: z.literal('usage'),
  from: z.iso.date(),
  to: z.iso.date(),
  data: z.array(usageRow).max(MAX_ROWS),
  total: z.object(counts),
  storage: z
    .object({
      used_bytes: z.int().describe('Bytes of files, generated media, recordings, and texts of knowledge entries'),
      limit_bytes: z.int().nullable().describe('`STORAGE_QUOTA_BYTES`; null: none'),
    })
    .describe('Storage in use now, whichever days were requested.'),
});
