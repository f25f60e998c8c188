import {
  authMethods,
  ChorusError,
  deviceAuthorization,
  deviceDecided,
  deviceDecision,
  deviceQuery,
  deviceTokenRequest,
  oidcCallbackQuery,
  oidcExchange,
  oidcStart,
  oidcStarted,
  pendingDevice,
  tokenAnswer,
} from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { limitPages } from '../http/limit-rate.ts';
import { BrowserCookie } from '../login/browser-cookie.ts';
import { LoginCookie, storeToken, TOKEN_STORAGE_HEADERS } from '../login/login-cookie.ts';
import type { Services } from '../services.ts';

export const getAuthMethods = defineRoute({
  method: 'get',
  path: '/auth/methods',
  area: 'auth',
  summary: 'List the ways to log in',
  needs: 'none',
  answer: authMethods,
  handle: async ({ services }) => {
    const { singleSignOn, passwordLogin } = services.accounts;
    return { object: 'auth.methods', password: passwordLogin, oidc: singleSignOn && { name: singleSignOn.name } };
  },
});

export const startOidc = defineRoute({
  method: 'post',
  path: '/auth/oidc-start',
  area: 'auth',
  summary: 'Begin a login at the identity provider',
  description:
    'For pages of this server. Sets a cookie that binds the login to this browser. 404 where single sign-on is off.',
  needs: 'none',
  body: oidcStart,
  refuses: ['not_found', 'sso_failed'],
  answer: oidcStarted,
  handle: async ({ body, context, request, response, services }) => {
    const { url, browser } = await oidcOf(services).start({
      redirectUri: `${context.addresses.baseUrl}/api/v1/auth/oidc-callback`,
      returnTo: body.return_to,
      purpose: body.purpose,
    });
    new BrowserCookie(request, response, context.addresses.baseUrl).set(browser);
    return { object: 'oidc.start', url };
  },
});

export const finishOidc = defineRoute({
  method: 'get',
  path: '/auth/oidc-callback',
  area: 'auth',
  summary: 'Return from the identity provider',
  description:
    'The address that the identity provider sends the browser back to. Redirects to the console, with a ticket in the fragment.',
  needs: 'none',
  query: oidcCallbackQuery,
  answer: z.string(),
  answerType: 'text/plain',
  alsoAnswers: { 303: 'The console, with `#sso=<ticket>` or, to confirm, `#confirm=<ticket>`, also after a refusal' },
  handle: async ({ context, request, response, services }) => {
    await limitPages(context);
    const { baseUrl } = context.addresses;
    const cookie = new BrowserCookie(request, response, baseUrl);
    const answer = new URL(request.originalUrl, baseUrl);
    let target: string;
    try {
      const { ticket, purpose, returnTo, refusal } = await oidcOf(services).finish(answer, cookie.value);
      if (refusal !== null) context.errorCode = refusal;
      target = `${returnTo}#${purpose === 'login' ? 'sso' : 'confirm'}=${ticket}`;
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error;
      context.errorCode = error.code;
      target = '/#sso=none'; // the exchange explains
    }
    response.redirect(303, `${baseUrl}${target}`);
    return undefined;
  },
});

export const endOidc = defineRoute({
  method: 'get',
  path: '/auth/oidc-end',
  area: 'auth',
  summary: 'End the login at the identity provider',
  description:
    "For browsers that have logged out here. Redirects to the provider's page, or to the console if it has none.",
  needs: 'none',
  answer: z.string(),
  answerType: 'text/plain',
  alsoAnswers: { 303: "The provider's page, or the console" },
  handle: async ({ context, response, services }) => {
    const home = `${context.addresses.baseUrl}/`;
    const page = await services.accounts.singleSignOn?.endUrl(home).catch(() => null);
    response.redirect(303, page ?? home);
    return undefined;
  },
});

export const exchangeOidc = defineRoute({
  method: 'post',
  path: '/auth/oidc',
  area: 'auth',
  summary: 'Complete a login at the identity provider',
  description: 'Exchanges the ticket of the redirect for tokens, in the browser that began the login.',
  needs: 'none',
  headers: TOKEN_STORAGE_HEADERS,
  body: oidcExchange,
  refuses: ['unauthorized', 'forbidden', 'not_found', 'sso_failed'],
  answer: tokenAnswer,
  handle: async (call) => {
    const { context, request, response, services } = call;
    const cookie = LoginCookie.of(call);
    const browser = new BrowserCookie(request, response, context.addresses.baseUrl);
    const userId = await oidcOf(services).redeem(call.body.ticket, browser.value);
    browser.clear();
    const answer = await services.accounts.loginAs(userId, context.client);
    const earlier = cookie?.token ?? null;
    if (earlier !== null) await services.accounts.logoutByToken(earlier, call.actor);
    return storeToken(cookie, answer, services);
  },
});

export const beginDevice = defineRoute({
  method: 'post',
  path: '/auth/device',
  area: 'auth',
  summary: 'Begin a login of a device',
  description:
    'For programs without a browser, such as `npx chorus login --device` (RFC 8628). Show the user `verification_uri` and `user_code`, and ask `POST /auth/device/token` until they have approved.',
  needs: 'none',
  refuses: ['rate_limited'],
  answer: deviceAuthorization,
  handle: async ({ context, services }) => {
    const { address, user_agent = null } = context.client;
    const begun = await services.accounts.devices.begin({ address, user_agent });
    const page = `${context.addresses.baseUrl}/device`;
    return {
      device_code: begun.deviceCode,
      user_code: begun.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${begun.userCode}`,
      expires_in: begun.expiresInS,
      interval: begun.intervalS,
    };
  },
});

export const redeemDevice = defineRoute({
  method: 'post',
  path: '/auth/device/token',
  area: 'auth',
  summary: 'Complete a login of a device',
  description:
    'Until the user has decided: 400 `authorization_pending`, or `slow_down` for a request within `interval`. Then the tokens, once, or 400 `access_denied`.',
  needs: 'none',
  body: deviceTokenRequest,
  refuses: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  answer: tokenAnswer,
  handle: async ({ body, context, services }) => {
    const userId = await services.accounts.devices.redeem(body.device_code);
    return services.accounts.loginAs(userId, context.client);
  },
});

export const getDevice = defineRoute({
  method: 'get',
  path: '/auth/device',
  area: 'auth',
  summary: 'Get a device that waits for approval',
  needs: 'account',
  query: deviceQuery,
  answer: pendingDevice,
  handle: ({ query, services }) => services.accounts.devices.find(query.user_code),
});

export const decideDevice = defineRoute({
  method: 'post',
  path: '/auth/device/decision',
  area: 'auth',
  summary: 'Approve or deny a device',
  description: 'An approved device gets a login of yours, which `GET /me/logins` lists.',
  needs: 'account',
  body: deviceDecision,
  refuses: ['not_found'],
  answer: deviceDecided,
  handle: async ({ body, user, services }) => {
    await services.accounts.devices.decide(body.user_code, user.id, body.approve);
    return { object: 'device.decision', approved: body.approve };
  },
});

function oidcOf({ accounts }: Pick<Services, 'accounts'>) {
  if (accounts.singleSignOn === null) throw new ChorusError('not_found', 'Single sign-on is off. Set OIDC_ISSUER.');
  return accounts.singleSignOn;
}
