import {
  deletion,
  totpBegin,
  totpChange,
  totpConfirm,
  totpEnrolment,
  totpRecoveryCodes,
  totpState,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const getTotp = defineRoute({
  method: 'get',
  path: '/me/totp',
  area: 'auth',
  summary: 'Get your two-factor authentication status',
  needs: 'account',
  answer: totpState,
  handle: ({ user, services }) => services.accounts.totp.state(user.id),
});

export const beginTotp = defineRoute({
  method: 'post',
  path: '/me/totp',
  area: 'auth',
  summary: 'Set up two-factor authentication',
  description:
    'Returns the secret for an authenticator app. Takes effect once `POST /me/totp/confirm` receives a code. 409 if it is already on.',
  needs: 'account',
  body: totpBegin,
  secret: true,
  refuses: ['invalid_credentials', 'conflict'],
  answer: totpEnrolment,
  handle: ({ body, actor, user, services }) => services.accounts.totp.begin(actor, user, body.current_password),
});

export const confirmTotp = defineRoute({
  method: 'post',
  path: '/me/totp/confirm',
  area: 'auth',
  summary: 'Turn two-factor authentication on',
  description: 'With a code from the app. Only this response contains the recovery codes; the platform stores hashes.',
  needs: 'account',
  body: totpConfirm,
  secret: true,
  refuses: ['invalid_totp_code', 'not_found'],
  answer: totpRecoveryCodes,
  handle: async ({ body, actor, user, services }) => ({
    object: 'totp.recovery_codes',
    recovery_codes: await services.accounts.totp.confirm(actor, user, body.code),
  }),
});

export const renewRecoveryCodes = defineRoute({
  method: 'post',
  path: '/me/totp/recovery-codes',
  area: 'auth',
  summary: 'Replace your recovery codes',
  description: 'The old codes stop working. Needs your password and a code.',
  needs: 'account',
  body: totpChange,
  secret: true,
  refuses: ['invalid_credentials', 'not_found'],
  answer: totpRecoveryCodes,
  handle: async ({ body: { current_password: password, code }, actor, user, services }) => ({
    object: 'totp.recovery_codes',
    recovery_codes: await services.accounts.totp.renewRecoveryCodes(actor, user, { password, code }),
  }),
});

export const disableTotp = defineRoute({
  method: 'post',
  path: '/me/totp/disable',
  area: 'auth',
  summary: 'Turn two-factor authentication off',
  description: 'Needs your password and a code.',
  needs: 'account',
  body: totpChange,
  refuses: ['invalid_credentials', 'not_found'],
  answer: totpState,
  handle: async ({ body: { current_password: password, code }, actor, user, services }) => {
    await services.accounts.totp.disable(actor, user, { password, code });
    return services.accounts.totp.state(user.id);
  },
});

export const resetUserTotp = defineRoute({
  method: 'delete',
  path: '/users/:user_id/totp',
  area: 'operations',
  summary: "Turn a user's two-factor authentication off",
  description: 'For operators, when a user has lost the app and the recovery codes.',
  needs: 'operate',
  params: { user_id: 'user' },
  answer: deletion,
  handle: async ({ params, actor, services }) => {
    await services.accounts.totp.reset(actor, params.user_id);
    return { id: params.user_id, object: 'totp', deleted: true };
  },
});
