import { z } from 'zod';
import { boundedRecord } from './bounded.ts';
import { idSchema } from './ids.ts';
import { listQuery } from './list.ts';

export const WEBHOOK_EVENTS = [
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'execution.requires_action',
  'batch.completed',
  'budget.warning',
  'budget.exceeded',
  'provider.stopped',
  'provider.resumed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** `pending`: will be tried, or tried again. `failed`: given up. */
export const WEBHOOK_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** The webhook URL of an execution or batch. Its host is checked when connecting. */
export const webhookUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2_000)
  .describe('Receives a signed POST when it ends, or waits for a decision');

/** The body of a webhook. */
export const webhookPayload = z.object({
  type: z.enum(WEBHOOK_EVENTS),
  timestamp: z.iso.datetime().describe('When it happened'),
  data: boundedRecord(z.string(), z.unknown(), 100).describe(
    'The execution, batch, budget, or stop of a provider. A large output is replaced by `output_omitted: true`',
  ),
});
export type WebhookPayload = z.infer<typeof webhookPayload>;

export const webhookAttempt = z.object({
  started_at: z.iso.datetime(),
  duration_ms: z.int(),
  status: z.int().nullable().describe("The response's HTTP status; null: no response"),
  error: z.string().nullable().describe('Why it does not count as delivered'),
});

export const webhookDelivery = z.object({
  id: z.string().describe('`whd_…`, also in the header `webhook-id` of each attempt'),
  object: z.literal('webhook_delivery'),
  event: z.enum(WEBHOOK_EVENTS),
  execution_id: z.string().nullable(),
  batch_id: z.string().nullable(),
  budget: z.string().nullable().describe('The budget: `workspace:<id>` or the id of an API key'),
  url: z.string().describe('For webhooks of other members, only admins see more than the host'),
  status: z.enum(WEBHOOK_STATUSES),
  attempt_count: z.int(),
  attempts: z.array(webhookAttempt).max(20).describe('The last 20, oldest first'),
  next_attempt_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const webhookDeliveriesQuery = listQuery.extend({
  execution_id: idSchema('job').optional(),
  batch_id: idSchema('batch').optional(),
  status: z.enum(WEBHOOK_STATUSES).optional(),
});
export type WebhookDeliveriesQuery = z.infer<typeof webhookDeliveriesQuery>;

export const webhookSecret = z.object({
  object: z.literal('webhook_secret'),
  secret: z.string().describe('`whsec_…`: for verifying signatures'),
  created_at: z.iso.datetime(),
  previous_valid_until: z.iso
    .datetime()
    .nullable()
    .describe('Until then the previous secret also signs; null: there is none'),
});
export type WebhookSecret = z.infer<typeof webhookSecret>;
