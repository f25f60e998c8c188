import { ChorusError, loginRequest, logoutAnswer, refreshRequest, tokenAnswer, totpLogin } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { LoginCookie, storeToken, TOKEN_STORAGE_HEADERS } from '../login/login-cookie.ts';
import { strangerOf } from '../login/stranger.ts';

export const login = defineRoute({
  method: 'post',
  path: '/auth/login',
  area: 'auth',
  summary: 'Log in',
  description:
    'Repeated failures slow down: then it answers 429 with `Retry-After`. An account with two-factor authentication needs a `totp_code`; without one the answer is 401 `totp_required` ' +
    'with a `challenge`, which is good for `POST /auth/totp` for five minutes.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: loginRequest,
  refuses: ['invalid_credentials', 'forbidden', 'rate_limited'],
  answer: tokenAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    const answer = await call.services.accounts.login(call.body, strangerOf(call));
    await forgetEarlier(call, cookie);
    return storeToken(cookie, answer, call.services);
  },
});

export const loginByCode = defineRoute({
  method: 'post',
  path: '/auth/totp',
  area: 'auth',
  summary: 'Finish a login with a code',
  description:
    'The second step of a login with two-factor authentication: the `challenge` that `totp_required` came with, and a code. A code works once. Repeated failures slow down.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: totpLogin,
  refuses: ['invalid_totp_code', 'forbidden', 'rate_limited'],
  answer: tokenAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    const answer = await call.services.accounts.loginByCode(call.body, strangerOf(call));
    await forgetEarlier(call, cookie);
    return storeToken(cookie, answer, call.services);
  },
});

export const refresh = defineRoute({
  method: 'post',
  path: '/auth/refresh',
  area: 'auth',
  summary: 'Get new tokens for a refresh token',
  description:
    'A refresh token is good once. Using an old one again revokes all that came from the same login; a retry within 10 seconds gets the same answer. ' +
    'With `X-Token-Storage: cookie` the token is read from the cookie unless the body has one, which then moves into the cookie.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: refreshRequest,
  refuses: ['unauthorized', 'forbidden'],
  answer: tokenAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    const token = call.body.refresh_token ?? cookie?.token ?? null;
    if (token === null && cookie === null)
      throw new ChorusError('invalid_request', 'body.refresh_token: is required', {
        details: [{ path: 'body.refresh_token', message: 'is required' }],
      });
    if (token === null) throw new ChorusError('unauthorized', 'There is no login in this browser.');
    try {
      const answer = await call.services.accounts.refresh(token, strangerOf(call), cookie !== null);
      return storeToken(cookie, answer, call.services);
    } catch (error) {
      if (error instanceof ChorusError && error.status === 401 && call.body.refresh_token === undefined)
        cookie?.clear();
      throw error;
    }
  },
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

export const forgetLogin = defineRoute({
  method: 'post',
  path: '/auth/forget',
  area: 'auth',
  summary: 'Log out by the cookie',
  description:
    'For pages of this server, with `X-Token-Storage: cookie`: ends the login whose refresh token is in the cookie, also when its access token has expired, and removes the cookie.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  refuses: ['forbidden', 'invalid_header'],
  answer: logoutAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    if (cookie === null)
      throw new ChorusError('invalid_header', 'X-Token-Storage: cookie is required.', {
        details: [{ path: 'headers.x-token-storage', message: 'must be cookie' }],
      });
    await forgetEarlier(call, cookie);
    cookie.clear();
    return { object: 'logout', logged_out: true };
  },
});

/** Ends the login that the browser had before. */
async function forgetEarlier(
  { services, actor }: Pick<Parameters<typeof strangerOf>[0], 'services' | 'actor'>,
  cookie: LoginCookie | null,
): Promise<void> {
  const earlier = cookie?.token ?? null;
  if (earlier !== null) await services.accounts.logoutByToken(earlier, actor);
}
