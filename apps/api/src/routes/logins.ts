import { deletion, endedLogins, listOf, listQuery, loginSession } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

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
