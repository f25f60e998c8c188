import {
  ChorusError,
  createdUserInvitation,
  deletion,
  listedUser,
  listOf,
  listQuery,
  platformLimits,
  platformLimitsPatch,
  userInvitation,
  userInvitationCreate,
  userPatch,
  userUsageQuery,
  userUsageReport,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { changeLimits, readLimits } from '../providers/platform-limits.ts';

export const listUsers = defineRoute({
  method: 'get',
  path: '/users',
  area: 'operations',
  summary: 'List all users',
  description: 'Oldest first. For operators; API keys need `operator`, as for all of `/users`.',
  needs: 'operate',
  query: listQuery,
  answer: listOf(listedUser),
  handle: async ({ query, services }) => ({ object: 'list', ...(await services.accounts.users.list(query)) }),
});

export const changeUser = defineRoute({
  method: 'patch',
  path: '/users/:user_id',
  area: 'operations',
  summary: 'Disable a user, or make one an operator',
  description:
    'Logins, tokens, and API keys of a disabled user are refused within a second. Enabling restores password and keys, not logins. ' +
    'You cannot disable yourself, or give up being an operator: ask another operator.',
  needs: 'operate',
  params: { user_id: 'user' },
  body: userPatch,
  answer: listedUser,
  handle: ({ params, body, user, actor, services }) => {
    if (params.user_id === user.id) throw notYourself(body.disabled === undefined ? 'operator' : 'disabled');
    return services.accounts.users.change(actor, params.user_id, body);
  },
});

export const inviteUser = defineRoute({
  method: 'post',
  path: '/users/invitations',
  area: 'operations',
  summary: 'Invite someone to the platform',
  secret: true,
  description:
    'Only this response contains the `token`, with which `POST /invitations/accept` creates the account. The platform sends no mail, so pass it on yourself. ' +
    'To invite someone to a workspace, too, use `POST /workspaces/{workspace_id}/invitations`.',
  needs: 'operate',
  body: userInvitationCreate,
  answer: createdUserInvitation,
  refuses: ['conflict'],
  handle: ({ body, actor, services }) => services.accounts.userInvitations.create(actor, body),
});

export const listUserInvitations = defineRoute({
  method: 'get',
  path: '/users/invitations',
  area: 'operations',
  summary: 'List open invitations to the platform',
  needs: 'operate',
  query: listQuery,
  answer: listOf(userInvitation),
  handle: async ({ query, services }) => ({
    object: 'list',
    ...(await services.accounts.userInvitations.list(query)),
  }),
});

export const revokeUserInvitation = defineRoute({
  method: 'delete',
  path: '/users/invitations/:invitation_id',
  area: 'operations',
  summary: 'Revoke an invitation to the platform',
  needs: 'operate',
  params: { invitation_id: 'invitation' },
  answer: deletion,
  handle: async ({ params, actor, services }) => {
    await services.accounts.userInvitations.revoke(actor, params.invitation_id);
    return { id: params.invitation_id, object: 'user_invitation', deleted: true };
  },
});

export const getUserUsage = defineRoute({
  method: 'get',
  path: '/users/usage',
  area: 'operations',
  summary: 'Get usage by day and user',
  description: 'Of all users in all scopes. Days are in UTC. Running executions count once they have ended.',
  needs: 'operate',
  query: userUsageQuery,
  answer: userUsageReport,
  handle: async ({ query, services }) => ({
    object: 'user_usage',
    ...query,
    data: await services.database.usage.reportByUser(query),
  }),
});

export const getLimits = defineRoute({
  method: 'get',
  path: '/limits',
  area: 'operations',
  summary: 'Get the limits of users and scopes',
  description: 'And what sets them. For operators; API keys need `operator`.',
  needs: 'operate',
  answer: platformLimits,
  handle: async ({ services }) => ({ object: 'limits', data: await readLimits(services) }),
});

export const patchLimits = defineRoute({
  method: 'patch',
  path: '/limits',
  area: 'operations',
  summary: 'Change the limits of users and scopes',
  description:
    'Used by every process within a second. 409 for a limit that the environment sets, which wins. For operators; API keys need `operator`.',
  needs: 'operate',
  body: platformLimitsPatch,
  answer: platformLimits,
  refuses: ['conflict'],
  handle: async ({ body, actor, services }) => ({ object: 'limits', data: await changeLimits(services, actor, body) }),
});

function notYourself(field: string): ChorusError {
  const message = 'cannot be changed for yourself. Ask another operator';
  return new ChorusError('invalid_request', `body.${field}: ${message}`, {
    details: [{ path: `body.${field}`, message }],
  });
}
