import { z } from 'zod';
import { DEFAULT_PERMISSIONS, PERMISSIONS } from './access.ts';
import { budgetLimit } from './budgets.ts';

export const API_KEY_STATUSES = ['active', 'disabled', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

const permissions = z
  .array(z.enum(PERMISSIONS))
  .min(1)
  .max(20)
  .transform((names) => [...new Set(names)])
  .describe(
    '`read`: get and list; `write`: create, edit, delete; `run`: run models, cancel, retry; `manage`: members, invitations, the audit log; ' +
      '`operator`: users and queues of the platform, for operators only and never together with `workspace_id`. ' +
      'A key can never do more than its user, and no key can create keys or change passwords.',
  );

export const apiKeyCreate = z.strictObject({
  name: z.string().trim().min(1).max(100),
  permissions: permissions.default([...DEFAULT_PERMISSIONS]),
  workspace_id: z
    .uuid()
    .toLowerCase()
    .nullish()
    .describe('Binds the key to this workspace: it only works in that scope, and only lists its records.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time))
    .refine((time) => time > new Date(), { error: 'must be in the future' })
    .nullish(),
  rate_limit: z.int().min(1).max(1_000_000).nullish().describe('Requests per minute, over all rate limit classes.'),
  monthly_budget_usd: budgetLimit
    .optional()
    .describe('What the key may spend per month, in US dollars. `/api-keys/{id}/budget` shows and changes it.'),
});
export type ApiKeyCreate = z.infer<typeof apiKeyCreate>;

export const apiKeyDisable = z.strictObject({
  disabled: z.boolean().default(true).describe('`false` enables the key again.'),
});

export const apiKey = z.object({
  id: z.string().describe('`key_…`'),
  object: z.literal('api_key'),
  name: z.string(),
  prefix: z.string().describe('Start of the key, to recognize it by'),
  status: z.enum(API_KEY_STATUSES),
  permissions: z.array(z.enum(PERMISSIONS)).max(PERMISSIONS.length),
  workspace_id: z.string().nullable(),
  rate_limit: z.int().nullable().describe('Requests per minute'),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable().describe('Accurate to about a minute'),
  created_at: z.iso.datetime(),
});
export type ApiKey = z.infer<typeof apiKey>;

export const createdApiKey = apiKey.extend({ secret: z.string().describe('The key, `chk_…`. Shown only once') });
export type CreatedApiKey = z.infer<typeof createdApiKey>;
