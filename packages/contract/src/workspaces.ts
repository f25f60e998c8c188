import { z } from 'zod';
import { emailAddress, newPassword } from './auth.ts';
import { ROLES } from './owner.ts';

const name = z.string().trim().min(1).max(100);
const role = z.enum(ROLES);

export const workspaceCreate = z.strictObject({ name });
export const workspacePatch = z.strictObject({ name });

export const workspace = z.object({
  id: z.uuid(),
  object: z.literal('workspace'),
  name: z.string(),
  role: role.describe('Your role'),
  created_at: z.iso.datetime(),
});
export type Workspace = z.infer<typeof workspace>;

export const member = z.object({
  id: z.string().describe("The user's id, `usr_…`"),
  object: z.literal('member'),
  workspace_id: z.uuid(),
  email: z.string(),
  role,
  created_at: z.iso.datetime().describe('Member since'),
});
export type Member = z.infer<typeof member>;

export const memberPatch = z.strictObject({ role });

export const invitationCreate = z.strictObject({
  email: emailAddress,
  role: role.default('viewer'),
  expires_in_s: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(7 * 86_400),
});
export type InvitationCreate = z.infer<typeof invitationCreate>;

export const invitation = z.object({
  id: z.string().describe('`inv_…`'),
  object: z.literal('invitation'),
  workspace_id: z.uuid(),
  email: z.string(),
  role,
  invited_by: z.string().describe('`usr_…`'),
  new_account: z
    .boolean()
    .describe('Whether it can be accepted by creating an account. If not, only users with an account can accept.'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type Invitation = z.infer<typeof invitation>;

export const createdInvitation = invitation.extend({
  token: z.string().describe('The token to accept with. Shown only once; no mail is sent, so pass it on yourself'),
});
export type CreatedInvitation = z.infer<typeof createdInvitation>;

/** Accepts an invitation by creating an account. */
export const invitationAccept = z.strictObject({
  token: z.string().min(1).max(200),
  password: newPassword.describe('The password of the new account'),
});

/** Accepts an invitation with the account that is logged in. */
export const invitationJoin = invitationAccept.pick({ token: true });
