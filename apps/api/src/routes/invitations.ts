import { actsAsOperator } from '@chorus/accounts';
import {
  createdInvitation,
  deletion,
  invitation,
  invitationAccept,
  invitationCreate,
  invitationJoin,
  listOf,
  listQuery,
  tokenAnswer,
  workspace,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

const params = { workspace_id: 'workspace' } as const;

export const createInvitation = defineRoute({
  method: 'post',
  path: '/workspaces/:workspace_id/invitations',
  area: 'workspaces',
  summary: 'Invite someone to a workspace',
  secret: true,
  description:
    'Only this response contains the `token`. The platform sends no mail, so pass it on yourself. Only owners can invite admins and owners. ' +
    'Only invitations by an operator can be accepted by creating an account (`new_account`), unless `INVITE_NEW_USERS=anyone`.',
  needs: 'manage',
  params,
  body: invitationCreate,
  answer: createdInvitation,
  handle: ({ params, body, actor, role, credential, services }) => {
    const by = { role, operator: actsAsOperator(credential) };
    return services.accounts.invitations.create(actor, params.workspace_id, by, body);
  },
});

export const listInvitations = defineRoute({
  method: 'get',
  path: '/workspaces/:workspace_id/invitations',
  area: 'workspaces',
  summary: "List a workspace's open invitations",
  needs: 'manage',
  params,
  query: listQuery,
  answer: listOf(invitation),
  handle: async ({ params, query, services }) => ({
    object: 'list',
    ...(await services.accounts.invitations.list(params.workspace_id, query)),
  }),
});

export const revokeInvitation = defineRoute({
  method: 'delete',
  path: '/workspaces/:workspace_id/invitations/:invitation_id',
  area: 'workspaces',
  summary: 'Revoke an invitation',
  needs: 'manage',
  params: { ...params, invitation_id: 'invitation' },
  answer: deletion,
  handle: async ({ params, actor, services }) => {
    await services.accounts.invitations.revoke(actor, params.workspace_id, params.invitation_id);
    return { id: params.invitation_id, object: 'invitation', deleted: true };
  },
});

export const acceptInvitation = defineRoute({
  method: 'post',
  path: '/invitations/accept',
  area: 'auth',
  summary: 'Accept an invitation with a new account',
  description:
    'Creates an account with the invited email address and this password, and logs in. 401 when the address already has an account or the invitation does not allow creating one; the response does not say which: ' +
    'then log in and use `POST /me/invitations/accept`. A token works once; used, revoked and expired ones are 404.',
  needs: 'none',
  body: invitationAccept,
  refuses: ['not_found', 'unauthorized'],
  answer: tokenAnswer,
  handle: (call) => call.services.accounts.acceptInvitation(call.body, call.context.client),
});

export const joinWorkspace = defineRoute({
  method: 'post',
  path: '/me/invitations/accept',
  area: 'workspaces',
  summary: 'Accept an invitation with your account',
  description:
    'Makes you a member of the workspace. 403 when the invitation is for another email address; 404 when it was used, revoked, or has expired.',
  needs: 'account',
  body: invitationJoin,
  refuses: ['not_found'],
  answer: workspace,
  handle: ({ body, actor, user, services }) => services.accounts.invitations.join(actor, user, body.token),
});
