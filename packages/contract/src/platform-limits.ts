import { z } from 'zod';
import { LIMIT_NAMES, type LimitName, PLATFORM_LIMITS } from './names/platform-limits.ts';
import { usageQuery } from './usage.ts';
import { withCommas } from './with-commas.ts';

export { LIMIT_NAMES, type LimitName, PLATFORM_LIMITS };

/** Limits that operators have set. Absent: the standard. */
export type StoredLimits = Partial<Record<LimitName, number>>;

const limit = z.object({
  name: z.enum(LIMIT_NAMES),
  value: z.number().nullable().describe('Null: no limit'),
  unit: z.enum(['at_once', 'per_minute', 'bytes']),
  per: z.enum(['user', 'credential', 'scope']).describe('`credential`: an API key, or the logins of a user together'),
  source: z.enum(['environment', 'stored', 'standard']).describe('`environment`: a variable, which wins'),
  standard: z.number().nullable().describe('Applies if nothing else is set'),
  min: z.number(),
  max: z.number(),
  variable: z.string().describe('The environment variable that sets it'),
});

/** `GET /limits` */
export const platformLimits = z.object({
  object: z.literal('limits'),
  data: z.array(limit).max(50),
});
export type PlatformLimits = z.infer<typeof platformLimits>;
export type PlatformLimit = PlatformLimits['data'][number];

const limitPatches = Object.fromEntries(
  LIMIT_NAMES.map((name) => {
    const { min, max, standard } = PLATFORM_LIMITS[name];
    const what = standard === null ? 'no limit' : withCommas(standard);
    return [name, z.int().min(min).max(max).nullable().optional().describe(`Null: the standard, ${what}`)];
  }),
) as Record<LimitName, z.ZodOptional<z.ZodNullable<z.ZodInt>>>;

/** `PATCH /limits` */
export const platformLimitsPatch = z
  .strictObject(limitPatches)
  .refine((patch) => Object.keys(patch).length > 0, { error: 'send at least one limit' });
export type PlatformLimitsPatch = z.infer<typeof platformLimitsPatch>;

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
  estimated_executions: z.int().describe('Number of executions whose usage is partly an upper estimate'),
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
