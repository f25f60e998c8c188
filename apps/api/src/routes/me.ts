import {
  customInstructions,
  customInstructionsPatch,
  deletion,
  endedLogins,
  listOf,
  listQuery,
  loginSession,
  NO_INSTRUCTIONS,
  passwordChange,
  ROLES,
  user,
} from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const me = user.extend({
  scope: z.object({
    type: z.enum(['personal', 'workspace']),
    workspace_id: z.string().nullable(),
    role: z.enum(ROLES).describe('Your rights in this scope'),
  }),
});

export const getMe = defineRoute({
  method: 'get',
  path: '/me',
  area: 'auth',
  summary: 'Get the current user and scope',
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
    'Ends all your other logins unless `end_logins` is false. API keys stay unless `revoke_keys` is true. Wrong current passwords are slowed down, as at login. ' +
    'The 10,000 most common passwords, your email address and blank passwords are refused.',
  needs: 'account',
  body: passwordChange,
  answer: user,
  handle: ({ body, credential, actor, services }) => {
    const { current_password: current, new_password: next, end_logins: endLogins, revoke_keys: revokeKeys } = body;
    return services.accounts.changePassword(credential, { current, next, endLogins, revokeKeys }, actor);
  },
});

export const getInstructions = defineRoute({
  method: 'get',
  path: '/me/instructions',
  area: 'auth',
  summary: 'Get your custom instructions',
  needs: 'account',
  answer: customInstructions,
  handle: async ({ user, services }) => ({
    object: 'custom_instructions',
    ...((await services.database.users.getInstructions(user.id)) ?? NO_INSTRUCTIONS),
  }),
});

export const setInstructions = defineRoute({
  method: 'patch',
  path: '/me/instructions',
  area: 'auth',
  summary: 'Change your custom instructions',
  description:
    'What models should know about you, and how they should answer. Turns of sessions with `custom_instructions: true` use them, in all scopes.',
  needs: 'account',
  body: customInstructionsPatch,
  answer: customInstructions,
  handle: async ({ body, user, services: { database } }) => {
    const before = await database.users.getInstructions(user.id);
    const next = { ...NO_INSTRUCTIONS, ...before, ...body };
    await database.users.setInstructions(user.id, next);
    return { object: 'custom_instructions', ...next };
  },
});

export const listLogins = defineRoute({
  method: 'get',
  path: '/me/logins',
  area: 'auth',
  summary: 'List your logins',
  description: 'The devices and programs that are logged in as you, newest first.',
  needs: 'account',
  query: listQuery,
  answer: listOf(loginSession),
  handle: async ({ query, credential, services }) => ({
    object: 'list',
    ...(await services.accounts.listLogins(credential, query)),
  }),
});

export const endLogin = defineRoute({
  method: 'delete',
  path: '/me/logins/:login_id',
  area: 'auth',
  summary: 'End one of your logins',
  description: 'Logs that device out: its refresh token at once, its access tokens within a second.',
  needs: 'account',
  params: { login_id: 'login' },
  answer: deletion,
  handle: async ({ params, credential, actor, services }) => {
    await services.accounts.endLogin(credential, actor, params.login_id);
    return { id: params.login_id, object: 'login', deleted: true };
  },
});

export const endOtherLogins = defineRoute({
  method: 'delete',
  path: '/me/logins',
  area: 'auth',
  summary: 'End all your other logins',
  needs: 'account',
  answer: endedLogins,
  handle: async ({ credential, actor, services }) => ({
    object: 'logins',
    ended: await services.accounts.endOtherLogins(credential, actor),
  }),
});
