import { loginRequest, logoutAnswer, refreshRequest, tokenAnswer } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const login = defineRoute({
  method: 'post',
  path: '/auth/login',
  area: 'auth',
  summary: 'Log in',
  description: 'Repeated failures slow down: then it answers 429 with `Retry-After`.',
  needs: 'none',
  body: loginRequest,
  answer: tokenAnswer,
  handle: ({ body, actor, services }) => services.accounts.login(body, actor),
});

export const refresh = defineRoute({
  method: 'post',
  path: '/auth/refresh',
  area: 'auth',
  summary: 'Get new tokens for a refresh token',
  description:
    'A refresh token is good once. Using an old one again revokes all that came from the same login; a retry within 10 seconds gets the same answer.',
  needs: 'none',
  body: refreshRequest,
  answer: tokenAnswer,
  handle: ({ body, actor, services }) => services.accounts.refresh(body.refresh_token, actor),
});

export const logout = defineRoute({
  method: 'post',
  path: '/auth/logout',
  area: 'auth',
  summary: 'Log out',
  description:
    'Ends the login that the access token came from: its refresh token at once, its access tokens within a second.',
  needs: 'account',
  answer: logoutAnswer,
  handle: async ({ credential, actor, services }) => {
    await services.accounts.logout(credential, actor);
    return { object: 'logout', logged_out: true };
  },
});
