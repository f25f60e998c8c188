import { z } from 'zod';

/** `GET /auth/methods` */
export const authMethods = z.object({
  object: z.literal('auth.methods').describe('Names the type of this object'),
  password: z.boolean().describe('Whether users log in with a password'),
  oidc: z
    .object({ name: z.string().describe('Name of the identity provider, for a button') })
    .nullable()
    .describe('Single sign-on; null: off'),
});
export type AuthMethods = z.infer<typeof authMethods>;

/** A path of the console. It never leads to another site. */
const consolePath = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])[^\\]*$/, { error: 'must be a path such as /chat' });

export const OIDC_PURPOSES = ['login', 'confirm'] as const;
export type OidcPurpose = (typeof OIDC_PURPOSES)[number];

export const oidcStart = z.strictObject({
  return_to: consolePath.default('/').describe('Path of the console to return to'),
  purpose: z
    .enum(OIDC_PURPOSES)
    .default('login')
    .describe('`confirm`: the provider asks for the credentials again, and its ticket replaces your password once'),
});

export const oidcStarted = z.object({
  object: z.literal('oidc.start').describe('Names the type of this object'),
  url: z.string().describe("The identity provider's page to open in this browser, within ten minutes"),
});

export const oidcCallbackQuery = z.looseObject({});

export const oidcExchange = z.strictObject({
  ticket: z.string().min(1).max(200).describe('The ticket that the console got in its address. Works once'),
});

/** `POST /auth/device`, in the format of RFC 8628. */
export const deviceAuthorization = z.object({
  device_code: z.string().describe('For `POST /auth/device/token`. Keep it secret'),
  user_code: z.string().describe('Shown to the user, such as `BCDF-GHJK`'),
  verification_uri: z.string().describe('Where the user enters the code'),
  verification_uri_complete: z.string().describe('The same page with the code'),
  expires_in: z.int().describe('Seconds'),
  interval: z.int().describe('Seconds between two requests for the token'),
});

export const deviceTokenRequest = z.strictObject({
  device_code: z.string().min(1).max(200).describe('From `POST /auth/device`'),
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:device_code').optional().describe('Optional, as in RFC 8628'),
});

const userCode = z.string().trim().min(8).max(20).describe('The code that the device shows');

export const deviceQuery = z.strictObject({ user_code: userCode });

/** A device that waits for approval. */
export const pendingDevice = z.object({
  object: z.literal('device').describe('Names the type of this object'),
  user_code: z.string().describe('The code that the device shows'),
  user_agent: z.string().nullable().describe('The program that asked'),
  address: z.string().nullable().describe('IP address of the program'),
  requested_at: z.iso.datetime().describe('When the program asked'),
  expires_at: z.iso.datetime().describe('When the code expires'),
});
export type PendingDevice = z.infer<typeof pendingDevice>;

export const deviceDecision = z.strictObject({
  user_code: userCode,
  approve: z.boolean().describe('Whether the device may log in as you'),
});

export const deviceDecided = z.object({
  object: z.literal('device.decision').describe('Names the type of this object'),
  approved: z.boolean().describe('Whether the device was approved'),
});
