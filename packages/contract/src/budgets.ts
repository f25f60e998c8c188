import { z } from 'zod';
import { webhookUrl } from './webhooks.ts';

export const BUDGET_PERIODS = ['daily', 'monthly'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The share of a budget at which its warning is sent. */
export const BUDGET_WARNING = 0.8;

/** A limit of a budget. */
export const budgetLimit = z
  .number()
  .min(0)
  .max(1_000_000_000, { error: 'must be at most 1,000,000,000' })
  .nullable()
  .describe('In US dollars. Null: none');

/** Absent fields stay as they are. */
export const budgetPatch = z.strictObject({
  daily_usd: budgetLimit.optional(),
  monthly_usd: budgetLimit.optional(),
  webhook_url: webhookUrl
    .nullish()
    .describe('Receives `budget.warning` at 80% of a limit, and `budget.exceeded` at 100%. Null: none'),
});
export type BudgetPatch = z.infer<typeof budgetPatch>;

const MAX_UNPRICED_MODELS = 100;

const budgetState = z.object({
  period: z.enum(BUDGET_PERIODS).describe('A day or a month in UTC'),
  limit_usd: z.number().describe('The limit'),
  spent_usd: z.number().describe('Cost of ended executions that began in this period, where prices are known'),
  reserved_usd: z.number().describe('The most that running executions can still cost, where prices are known'),
  unpriced_models: z
    .array(z.string())
    .max(MAX_UNPRICED_MODELS)
    .describe('Models without a known price that have run in this period. The budget does not count their calls'),
  resets_at: z.iso.datetime().describe('When the day or month ends'),
});
export type BudgetState = z.infer<typeof budgetState>;

export const budget = z.object({
  object: z.literal('budget'),
  workspace_id: z.string().nullable().describe('The workspace with this budget; null: it belongs to an API key'),
  api_key_id: z.string().nullable().describe('`key_…`: the API key with this budget; null: it belongs to a workspace'),
  daily_usd: z.number().nullable().describe('Limit per day; null: none'),
  monthly_usd: z.number().nullable().describe('Limit per month; null: none'),
  webhook_url: z.string().nullable().describe('Receives `budget.warning` and `budget.exceeded`; null: none'),
  periods: z.array(budgetState).max(BUDGET_PERIODS.length).describe('One for each limit that is set'),
});
export type Budget = z.infer<typeof budget>;
