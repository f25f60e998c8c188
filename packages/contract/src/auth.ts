import { z } from 'zod';

/** Loosely: the part behind the @ may be a bare host name, as in `admin@localhost`. */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(320)
  .regex(/^[^@\s]+@[^@\s]+$/, { error: 'must be an e-mail address' });

/** A new password. Those that anyone would guess are refused where it is set. */
export const newPassword = z
  .string()
  .min(8, { error: 'must have at least 8 characters' })
  .max(1_000)
  .refine((password) => password.trim() !== '', { error: 'must not be blank' });

/** Spaces and hyphens don't matter. */
const totpCode = z.string().trim().min(6).max(64);
const currentPassword = z.string().min(1).max(1_000);

export const loginRequest = z.strictObject({
  email: z.string().trim().toLowerCase().min(3).max(320),
  password: z.string().min(1).max(1_000),
  totp_code: totpCode
    .optional()
    .describe('A code of your authenticator app, or a recovery code, where the account asks for one'),
});

export const passwordChange = z.strictObject({
  current_password: currentPassword,
  new_password: newPassword,
  end_logins: z.boolean().default(true).describe('Ends all your other logins.'),
  revoke_keys: z.boolean().default(false).describe('Revokes all your API keys.'),
});

export const refreshRequest = z.strictObject({
  refresh_token: z.string().min(1).max(1_000).optional().describe('Left out where the cookie holds it'),
});

export const user = z.object({
  id: z.string().describe('`usr_…`'),
  object: z.literal('user'),
  email: z.string(),
  operator: z.boolean().describe('May see queues and all users'),
  created_at: z.iso.datetime(),
});
export type User = z.infer<typeof user>;

/** A user as operators see one. */
export const listedUser = user.extend({ disabled_at: z.iso.datetime().nullable() });
export type ListedUser = z.infer<typeof listedUser>;

/** Token answer in the shape of RFC 6749, section 5.1. */
export const tokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds'),
  refresh_token: z.string().optional().describe('Left out where it is in a cookie'),
  user,
});
/** As the domain makes it. */
export type TokenAnswer = Required<z.infer<typeof tokenAnswer>>;

/** `POST /auth/totp`: the second step of a login. */
export const totpLogin = z.strictObject({
  challenge: z.string().min(1).max(200).describe('What `totp_required` came with'),
  code: totpCode.describe('A code of your authenticator app, or a recovery code'),
});

/** One login: a device or program that got in with the password. */
export const loginSession = z.object({
  id: z.string().describe('`lgn_…`'),
  object: z.literal('login'),
  current: z.boolean().describe('Whether this request came with it'),
  address: z.string().nullable().describe('The IP address that it was last used from'),
  user_agent: z.string().nullable().describe('The browser or program that last used it'),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().describe('When it last got an access token'),
  expires_at: z.iso.datetime().describe('When it ends unless it is used before'),
});
export type LoginSession = z.infer<typeof loginSession>;

/** `DELETE /me/logins` */
export const endedLogins = z.object({ object: z.literal('logins'), ended: z.int() });

export const totpBegin = z.strictObject({ current_password: currentPassword });
export const totpConfirm = z.strictObject({ code: totpCode });
export const totpChange = z.strictObject({ current_password: currentPassword, code: totpCode });

/** `GET /me/totp` */
export const totpState = z.object({
  object: z.literal('totp'),
  enabled: z.boolean(),
  enabled_at: z.iso.datetime().nullable(),
  recovery_codes_left: z.int(),
});
export type TotpState = z.infer<typeof totpState>;

/** `POST /me/totp`: what an authenticator app needs. */
export const totpEnrolment = z.object({
  object: z.literal('totp.enrolment'),
  secret: z.string().describe('In base 32, to type in'),
  uri: z.string().describe('`otpauth://…`, to show as a QR code'),
  expires_at: z.iso.datetime().describe('Confirm it with a code before'),
});
export type TotpEnrolment = z.infer<typeof totpEnrolment>;

export const totpRecoveryCodes = z.object({
  object: z.literal('totp.recovery_codes'),
  recovery_codes: z.array(z.string()).max(10).describe('Each lets you in once without the app. Shown this once'),
});

/** What a logout answers. */
export const logoutAnswer = z.object({ object: z.literal('logout'), logged_out: z.literal(true) });

/** `POST /queues/tickets` */
export const queuesTicket = z.object({
  object: z.literal('queues.ticket'),
  ticket: z.string().describe('Lets a browser in once'),
  expires_at: z.iso.datetime(),
  url: z.string().describe('What the browser is to open, with the ticket in it'),
});
