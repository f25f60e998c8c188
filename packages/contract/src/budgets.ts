import { z } from 'zod';
import { webhookUrl } from './webhooks.ts';

export const BUDGET_PERIODS = ['daily', 'monthly'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The share of a budget at which it warns. */
export const BUDGET_WARNING = 0.8;

const limit = z
  .number()
  .min(0)
  .max(1_000_000_000, { error: 'must be at most 1,000,000,000' })
  .nullable()
  .describe('In US dollars. Null: none');

/** Absent fields stay as they are. */
export const budgetPatch = z.strictObject({
  daily_usd: limit.optional(),
  monthly_usd: limit.optional(),
  webhook_url: webhookUrl
    .nullish()
    .describe('Receives `budget.warning` at 80 % of a limit, and `budget.exceeded` at 100 %. Null: none'),
});
export type BudgetPatch = z.infer<typeof budgetPatch>;

const budgetState = z.object({
  period: z.enum(BUDGET_PERIODS).describe('A day or a month in UTC'),
  limit_usd: z.number(),
  spent_usd: z.number().describe('Of ended executions that began in this period, as far as prices are known'),
  reserved_usd: z.number().describe('What the running ones will probably cost'),
  resets_at: z.iso.datetime(),
});
export type BudgetState = z.infer<typeof budgetState>;

export const budget = z.object({
  object: z.literal('budget'),
  workspace_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
  daily_usd: z.number().nullable(),
  monthly_usd: z.number().nullable(),
  webhook_url: z.string().nullable(),
  periods: z.array(budgetState).max(BUDGET_PERIODS.length).describe('Of each limit that is set'),
});
export type Budget = z.infer<typeof budget>;
