import {
  createdInvitation,
  deletion,
  invitation,
  invitationAccept,
  invitationCreate,
  listOf,
  listQuery,
  tokenAnswer,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

const params = { workspace_id: 'workspace' } as const;

export const createInvitation = defineRoute({
  method: 'post',
  path: '/workspaces/:workspace_id/invitations',
  area: 'workspaces',
  summary: 'Invite somebody into a workspace',
  secret: true,
  description:
    'The answer is the only one that shows the `token`; no mail is sent, so hand it over yourself. Only an owner invites admins and owners.',
  needs: 'manage',
  params,
  body: invitationCreate,
  answer: createdInvitation,
  handle: ({ params, body, actor, role, services }) =>
    services.accounts.invitations.create(actor, params.workspace_id, role, body),
});

export const listInvitations = defineRoute({
  method: 'get',
  path: '/workspaces/:workspace_id/invitations',
  area: 'workspaces',
  summary: 'List the open invitations of a workspace',
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
  summary: 'Accept an invitation, and log in',
  description:
    'With the password of the account that has the invited e-mail address; if there is none yet, it is made with this password. A token is good once: then, or when it was revoked or has expired, 404.',
  needs: 'none',
  body: invitationAccept,
  refuses: ['not_found'],
  answer: tokenAnswer,
  handle: ({ body, actor, services }) => services.accounts.acceptInvitation(body, actor),
});
