import { z } from 'zod';
import { usageQuery } from './usage.ts';

const limit = z.object({
  name: z.string(),
  value: z.number().nullable().describe('Null: no limit'),
  unit: z.enum(['at_once', 'per_minute', 'bytes']),
  per: z.enum(['user', 'credential', 'scope']).describe('`credential`: an API key, or the logins of a user together'),
  variable: z.string().describe('The environment variable that sets it'),
});

/** `GET /limits` */
export const platformLimits = z.object({
  object: z.literal('limits'),
  data: z.array(limit).max(50),
});
export type PlatformLimits = z.infer<typeof platformLimits>;
export type PlatformLimit = PlatformLimits['data'][number];

/** `GET /users/usage` */
export const userUsageQuery = usageQuery;

/** The usage of one user on one day, in all scopes. */
export const userUsageRow = z.object({
  day: z.iso.date(),
  user_id: z.string(),
  executions: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number().describe('Of the executions with a known price'),
  unpriced_executions: z.int().describe('Number of executions with an unknown price'),
});
export type UserUsageRow = z.infer<typeof userUsageRow>;

/** Maximum rows of a response: users of each day. */
const MAX_ROWS = 1_000_000;

export const userUsageReport = z.object({
  object: z.literal('user_usage'),
  from: z.iso.date(),
  to: z.iso.date(),
  data: z
    .array(userUsageRow)
    .max(MAX_ROWS)
    .describe('Oldest day first. Executions that retention has deleted are missing'),
});
