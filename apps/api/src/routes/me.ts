import { passwordChange, ROLES, user } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const me = user.extend({
  scope: z.object({
    type: z.enum(['personal', 'workspace']),
    workspace_id: z.string().nullable(),
    role: z.enum(ROLES).describe('What you are in this scope'),
  }),
});

export const getMe = defineRoute({
  method: 'get',
  path: '/me',
  area: 'auth',
  summary: 'Who am I, and in which scope',
  needs: 'read',
  answer: me,
  handle: async ({ user, owner, role }) => ({
    ...user,
    scope: { type: owner.scope, workspace_id: owner.workspace_id, role },
  }),
});

export const changePassword = defineRoute({
  method: 'post',
  path: '/me/password',
  area: 'auth',
  summary: 'Change your password',
  description:
    'Ends all your other logins unless `end_logins` is false; API keys stay unless `revoke_keys` is true. Wrong current passwords slow down, as at login. ' +
    'The 10,000 most common passwords, your e-mail address and blanks are refused.',
  needs: 'account',
  body: passwordChange,
  answer: user,
  handle: ({ body, credential, actor, services }) => {
    const { current_password: current, new_password: next, end_logins: endLogins, revoke_keys: revokeKeys } = body;
    return services.accounts.changePassword(credential, { current, next, endLogins, revokeKeys }, actor);
  },
});
