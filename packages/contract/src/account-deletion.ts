import { z } from 'zod';
import { currentPassword, totpCode } from './auth.ts';

const MAX_WORKSPACES = 10_000;

const workspaces = z.array(z.object({ id: z.string(), name: z.string() })).max(MAX_WORKSPACES);

/** `GET /me/deletion`: what deleting the account would do. */
export const accountDeletionPlan = z.object({
  object: z.literal('account_deletion'),
  password: z.boolean().describe('Whether password login is enabled'),
  identity_provider: z
    .string()
    .nullable()
    .describe('The identity provider where you can confirm the deletion instead; null: none'),
  needs_code: z.boolean().describe('Whether a code from the authenticator app is needed'),
  erased_workspaces: workspaces.describe('Workspaces with no other member, which are erased, too'),
  blocking_workspaces: workspaces.describe('Workspaces with other members that need another owner first'),
  only_operator: z.boolean().describe('Whether you are the only operator: the platform needs another one first'),
});
export type AccountDeletionPlan = z.infer<typeof accountDeletionPlan>;

/** `POST /me/deletion` */
export const accountDeletion = z
  .strictObject({
    current_password: currentPassword.optional(),
    ticket: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'A ticket from the identity provider, instead of the password: see `POST /auth/oidc-start`. Works once',
      ),
    code: totpCode
      .optional()
      .describe('A code from your authenticator app, or a recovery code. Required with two-factor authentication'),
  })
  .refine(({ current_password, ticket }) => (current_password === undefined) !== (ticket === undefined), {
    error: 'needs either `current_password` or `ticket`',
  });

/** `GET /me/export` */
export const accountExportQuery = z.strictObject({
  files: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('Whether to include the files themselves'),
});
