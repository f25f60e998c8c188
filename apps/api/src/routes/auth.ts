import { ChorusError, loginRequest, logoutAnswer, refreshRequest, tokenAnswer, totpLogin } from '@chorus/contract';
import { defineRoute, type OpenCall } from '../define-route.ts';
import { limitAddress, limitLogin } from '../http/limit-rate.ts';
import { LoginCookie, storeToken, TOKEN_STORAGE_HEADERS } from '../login/login-cookie.ts';

export const login = defineRoute({
  method: 'post',
  path: '/auth/login',
  area: 'auth',
  summary: 'Log in',
  description:
    'Repeated failures are slowed down: 429 with `Retry-After`. Accounts with two-factor authentication need a `totp_code`; without one the response is 401 `totp_required` ' +
    'with a `challenge` for `POST /auth/totp`, valid for five minutes.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: loginRequest,
  refuses: ['invalid_credentials', 'forbidden', 'rate_limited'],
  answer: tokenAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    const answer = await call.services.accounts.login(call.body, call.context.client);
    await endPreviousLogin(call, cookie);
    return storeToken(cookie, answer, call.services);
  },
});

export const loginByCode = defineRoute({
  method: 'post',
  path: '/auth/totp',
  area: 'auth',
  summary: 'Complete a login with a code',
  description:
    'The second step of a login with two-factor authentication: the `challenge` from `totp_required`, and a code. Each code works once. Repeated failures are slowed down.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: totpLogin,
  refuses: ['invalid_totp_code', 'forbidden', 'rate_limited'],
  answer: tokenAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    const answer = await call.services.accounts.loginByCode(call.body, call.context.client);
    await endPreviousLogin(call, cookie);
    return storeToken(cookie, answer, call.services);
  },
});

export const refresh = defineRoute({
  method: 'post',
  path: '/auth/refresh',
  area: 'auth',
  summary: 'Refresh tokens',
  description:
    'A refresh token works once. Using an old one again revokes all tokens of the same login, but a retry within 10 seconds gets the same response. ' +
    'With `X-Token-Storage: cookie`, the token is read from the cookie unless the body has one, and the new token is stored in the cookie.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: refreshRequest,
  countsItself: true,
  refuses: ['unauthorized', 'forbidden', 'rate_limited'],
  answer: tokenAnswer,
  handle: async (call) => {
    const cookie = LoginCookie.of(call);
    const token = call.body.refresh_token ?? cookie?.token ?? null;
    const loginId = token === null ? null : await call.services.accounts.loginOf(token);
    await (loginId === null ? limitAddress(call.context) : limitLogin(call.context, loginId));
    if (token === null && cookie === null)
      throw new ChorusError('invalid_request', 'body.refresh_token: is required', {
        details: [{ path: 'body.refresh_token', message: 'is required' }],
      });
    if (token === null) throw new ChorusError('unauthorized', 'This browser has no login. Log in first.');
    try {
      const answer = await call.services.accounts.refresh(token, call.context.client, cookie !== null);
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
  description: "Ends the access token's login: its refresh token at once, its access tokens within a second.",
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
  summary: 'Log out with the cookie',
  description:
    'For pages of this server, with `X-Token-Storage: cookie`. Ends the login of the refresh token in the cookie, even if its access token has expired, and removes the cookie.',
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
    await endPreviousLogin(call, cookie);
    cookie.clear();
    return { object: 'logout', logged_out: true };
  },
});

/** Ends the browser's previous login. */
async function endPreviousLogin(
  { services, actor }: Pick<OpenCall<unknown, unknown, unknown>, 'services' | 'actor'>,
  cookie: LoginCookie | null,
): Promise<void> {
  const earlier = cookie?.token ?? null;
  if (earlier !== null) await services.accounts.logoutByToken(earlier, actor);
}
