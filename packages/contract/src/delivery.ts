import { z } from 'zod';
import { metadata } from './metadata.ts';
import { webhookUrl } from './webhooks.ts';

/** Fields of every request that starts an execution. */
export const delivery = {
  stream: z.boolean().default(false),
  metadata: metadata.default({}),
  webhook_url: webhookUrl.optional(),
};

export const modelName = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model' })
  .max(200)
  .describe('`provider/model`. Default: the first model that supports it');
