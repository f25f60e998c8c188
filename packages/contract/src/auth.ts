import { z } from 'zod';

/** Whether a letter beyond ASCII has an ASCII lower case, such as the Kelvin sign. */
const looksPlain = (letter: string) => letter > '~' && /[ -~]/.test(letter.toLowerCase());

/**
 * Returns an email address in lower case. Keeps addresses with letters that would become ASCII, since those are other
 * addresses. No account has one.
 */
export function plainEmail(text: string): string {
  const trimmed = text.trim();
  return Array.from(trimmed).some(looksPlain) ? trimmed : trimmed.toLowerCase();
}

/** Deliberately loose: the domain may be a bare host name, as in `admin@localhost`. */
export const emailAddress = z
  .string()
  .overwrite(plainEmail)
  .max(320)
  .regex(/^[^@\s]+@[^@\s]+$/, { error: 'must be an email address' })
  .refine((email) => !Array.from(email).some(looksPlain), {
    error: 'must not have letters that become others in lower case, such as the Kelvin sign',
  });

/** A new password. Common passwords are refused separately. */
export const newPassword = z
  .string()
  .min(8, { error: 'must have at least 8 characters' })
  .max(1_000)
  .refine((password) => password.trim() !== '', { error: 'must not be blank' });

/** Ignores spaces and hyphens. */
export const totpCode = z.string().trim().min(6).max(64);
export const currentPassword = z.string().min(1).max(1_000);

export const loginRequest = z.strictObject({
  email: z.string().overwrite(plainEmail).min(3).max(320),
  password: z.string().min(1).max(1_000),
  totp_code: totpCode
    .optional()
    .describe('A code from your authenticator app, or a recovery code. Required with two-factor authentication'),
});

export const passwordChange = z.strictObject({
  current_password: currentPassword,
  new_password: newPassword,
  end_logins: z.boolean().default(true).describe('Ends all your other logins.'),
  revoke_keys: z.boolean().default(false).describe('Revokes all your API keys.'),
});

export const refreshRequest = z.strictObject({
  refresh_token: z.string().min(1).max(1_000).optional().describe('Omit it to use the cookie'),
});

export const user = z.object({
  id: z.string().describe('`usr_…`'),
  object: z.literal('user'),
  email: z.string(),
  operator: z.boolean().describe('May operate the platform: see queues, manage users and providers'),
  created_at: z.iso.datetime(),
});
export type User = z.infer<typeof user>;

/** A user as operators see them. */
export const listedUser = user.extend({ disabled_at: z.iso.datetime().nullable() });
export type ListedUser = z.infer<typeof listedUser>;

/** A token response in the format of RFC 6749, section 5.1. */
export const tokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds'),
  refresh_token: z.string().optional().describe('Absent when stored in the cookie'),
  user,
});
export type TokenAnswer = Required<z.infer<typeof tokenAnswer>>;

/** `POST /auth/totp`: the second step of a login. */
export const totpLogin = z.strictObject({
  challenge: z.string().min(1).max(200).describe('The challenge from `totp_required`'),
  code: totpCode.describe('A code from your authenticator app, or a recovery code'),
});

/** A login of one device or program. */
export const loginSession = z.object({
  id: z.string().describe('`lgn_…`'),
  object: z.literal('login'),
  current: z.boolean().describe('Whether this request uses it'),
  address: z.string().nullable().describe('IP address of its last use'),
  user_agent: z.string().nullable().describe('Browser or program of its last use'),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().describe('When its tokens were last refreshed'),
  expires_at: z.iso.datetime().describe('When it ends unless it is used'),
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
  secret: z.string().describe('In base32, for typing in'),
  uri: z.string().describe('`otpauth://…`, for a QR code'),
  expires_at: z.iso.datetime().describe('Time limit for confirming it with a code'),
});
export type TotpEnrolment = z.infer<typeof totpEnrolment>;

export const totpRecoveryCodes = z.object({
  object: z.literal('totp.recovery_codes'),
  recovery_codes: z.array(z.string()).max(10).describe('Each works once, without the app. Shown only once'),
});

export const logoutAnswer = z.object({ object: z.literal('logout'), logged_out: z.literal(true) });
