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

export const loginRequest = z.strictObject({
  email: z.string().trim().toLowerCase().min(3).max(320),
  password: z.string().min(1).max(1_000),
});

export const passwordChange = z.strictObject({
  current_password: z.string().min(1).max(1_000),
  new_password: newPassword,
  end_logins: z.boolean().default(true).describe('Ends all your other logins.'),
  revoke_keys: z.boolean().default(false).describe('Revokes all your API keys.'),
});

export const refreshRequest = z.strictObject({ refresh_token: z.string().min(1).max(1_000) });

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
  refresh_token: z.string(),
  user,
});
export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** What a logout answers. */
export const logoutAnswer = z.object({ object: z.literal('logout'), logged_out: z.literal(true) });

/** `POST /queues/tickets` */
export const queuesTicket = z.object({
  object: z.literal('queues.ticket'),
  ticket: z.string().describe('Lets a browser in once'),
  expires_at: z.iso.datetime(),
  url: z.string().describe('What the browser is to open, with the ticket in it'),
});
