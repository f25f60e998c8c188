import { z } from 'zod';
import { emailAddress } from './auth.ts';

/** `PATCH /users/{user_id}` */
export const userPatch = z
  .strictObject({
    disabled: z
      .boolean()
      .optional()
      .describe('`true`: logins, tokens, and API keys stop working within a second. `false`: they work again'),
    operator: z.boolean().optional().describe('Whether the user may operate the platform'),
  })
  .refine((patch) => Object.keys(patch).length > 0, { error: 'send at least one of disabled, operator' });
export type UserPatch = z.infer<typeof userPatch>;

/** `POST /users/invitations` */
export const userInvitationCreate = z.strictObject({
  email: emailAddress,
  expires_in_s: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(7 * 86_400),
});
export type UserInvitationCreate = z.infer<typeof userInvitationCreate>;

/** An open invitation to the platform, without a workspace. */
export const userInvitation = z.object({
  id: z.string().describe('`inv_…`'),
  object: z.literal('user_invitation'),
  email: z.string(),
  invited_by: z.string().describe('`usr_…`'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type UserInvitation = z.infer<typeof userInvitation>;

export const createdUserInvitation = userInvitation.extend({
  token: z
    .string()
    .describe('For `POST /invitations/accept`. Shown only once; no mail is sent, so pass it on yourself'),
});
export type CreatedUserInvitation = z.infer<typeof createdUserInvitation>;
