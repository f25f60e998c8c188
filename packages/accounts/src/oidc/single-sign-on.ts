import { createHash, randomBytes } from 'node:crypto';
import { ChorusError, type ErrorCode, OIDC_PURPOSES, type OidcPurpose } from '@chorus/contract';
import type { UserRecord } from '@chorus/database';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { z } from 'zod';
import type { IdentityProvider, ProvedIdentity } from './identity-provider.ts';

/** Logins at an identity provider, bound to the browser that began them. */
export interface SingleSignOn {
  /** Name of the provider. */
  readonly name: string;
  /**
   * Begins a login. `browser` is a secret for a cookie, required by the other two steps.
   * @throws {ChorusError} sso_failed, store_unavailable
   */
  start(asked: {
    redirectUri: string;
    returnTo: string;
    purpose: OidcPurpose;
  }): Promise<{ url: string; browser: string }>;
  /**
   * Handles the provider's answer. Returns a ticket for the next page, even for a refusal, which a URL could fake.
   * @throws {ChorusError} unauthorized, unless this browser began the login
   */
  finish(answer: URL, browser: string | null): Promise<FinishedSignOn>;
  /**
   * Consumes a ticket for a login, and returns the id of the user.
   * @throws {ChorusError} unauthorized; sso_failed; forbidden for someone without an account
   */
  redeem(ticket: string, browser: string | null): Promise<string>;
  /**
   * Consumes a ticket with which a user confirms their identity.
   * @throws {ChorusError} sso_failed, also for someone else's ticket
   */
  confirm(ticket: string, browser: string | null, userId: string): Promise<void>;
  /** Whether a user can log in at the provider. */
  isLinked(userId: string): Promise<boolean>;
  endUrl(returnTo: string): Promise<string | null>;
}

export interface FinishedSignOn {
  ticket: string;
  purpose: OidcPurpose;
  returnTo: string;
  refusal: ErrorCode | null;
}

const STATE_TTL_S = 600;
/** A page redeems a login ticket immediately, but a person takes time to confirm. */
const TICKET_TTL_S: Record<OidcPurpose, number> = { login: 60, confirm: 300 };
const TICKET = /^sso_[\w-]{43}$/;
const STATE = /^[\w-]{20,200}$/;

const storedState = z.object({
  nonce: z.string(),
  verifier: z.string(),
  browser: z.string(),
  return_to: z.string(),
  redirect_uri: z.string(),
  purpose: z.enum(OIDC_PURPOSES).default('login'),
  fresh_since: z.number().optional(),
});
const storedTicket = z.object({
  purpose: z.enum(OIDC_PURPOSES).default('login'),
  browser: z.string(),
  result: z.union([
    z.object({ user_id: z.string() }),
    z.object({ code: z.enum(['sso_failed', 'forbidden']), message: z.string() }),
  ]),
});
type Result = z.infer<typeof storedTicket>['result'];

/** Returns the message to show. */
function refusalOf(error: unknown): Result {
  if (error instanceof ChorusError && (error.code === 'sso_failed' || error.code === 'forbidden'))
    return { code: error.code, message: error.message };
  throw error;
}

export function createSingleSignOn({
  name,
  provider,
  redis,
  admit,
  find,
  isLinked,
}: {
  name: string;
  provider: IdentityProvider;
  redis: RedisConnection;
  /** Returns the user of an identity, with the roles of their groups. */
  admit: (identity: ProvedIdentity) => Promise<Pick<UserRecord, 'id'>>;
  /** Returns the user of a known identity. @throws {ChorusError} forbidden */
  find: (identity: ProvedIdentity) => Promise<Pick<UserRecord, 'id'>>;
  isLinked: SingleSignOn['isLinked'];
}): SingleSignOn {
  const digest = (secret: string) => createHash('sha256').update(secret).digest('base64url');
  // Only hashes of secrets are stored, so reading Redis gives no access.
  const stateKey = (state: string) => `chorus:{sso:${digest(state)}}:state`;
  const ticketKey = (ticket: string) => `chorus:{sso:${digest(ticket)}}:ticket`;
  const isOf = (browser: string | null, expected: string) => browser !== null && digest(browser) === expected;

  const take = async (ticket: string, browser: string | null, purpose: OidcPurpose): Promise<Result | null> => {
    const stored = TICKET.test(ticket) ? await fromRedis(redis.getdel(ticketKey(ticket))) : null;
    const kept = stored === null ? null : storedTicket.parse(JSON.parse(stored));
    return kept !== null && kept.purpose === purpose && isOf(browser, kept.browser) ? kept.result : null;
  };

  return {
    name,
    async start({ redirectUri, returnTo, purpose }) {
      const started = await provider.start(redirectUri, purpose === 'confirm');
      const { url, state, nonce, verifier, freshSince } = started;
      const browser = randomBytes(32).toString('base64url');
      const stored: z.infer<typeof storedState> = {
        nonce,
        verifier,
        browser: digest(browser),
        return_to: returnTo,
        redirect_uri: redirectUri,
        purpose,
        ...(freshSince !== undefined && { fresh_since: freshSince }),
      };
      await fromRedis(redis.set(stateKey(state), JSON.stringify(stored), 'EX', STATE_TTL_S));
      return { url, browser };
    },
    async finish(answer, browser) {
      const state = answer.searchParams.get('state') ?? '';
      const stored = STATE.test(state) ? await fromRedis(redis.getdel(stateKey(state))) : null;
      if (stored === null) throw expired();
      const { nonce, verifier, return_to: returnTo, purpose, ...known } = storedState.parse(JSON.parse(stored));
      // Otherwise, someone else's link could log this browser in as them.
      if (!isOf(browser, known.browser)) throw expired();
      const url = new URL(known.redirect_uri);
      url.search = answer.search;
      const proving = provider.finish(url, { state, nonce, verifier, freshSince: known.fresh_since });
      const finding = proving.then(purpose === 'login' ? admit : find);
      const result: Result = await finding.then(({ id }) => ({ user_id: id }), refusalOf);
      const ticket = `sso_${randomBytes(32).toString('base64url')}`;
      const kept: z.infer<typeof storedTicket> = { purpose, browser: known.browser, result };
      await fromRedis(redis.set(ticketKey(ticket), JSON.stringify(kept), 'EX', TICKET_TTL_S[purpose]));
      return { ticket, purpose, returnTo, refusal: 'code' in result ? result.code : null };
    },
    async redeem(ticket, browser) {
      const result = await take(ticket, browser, 'login');
      if (result === null) throw expired();
      if ('code' in result) throw new ChorusError(result.code, result.message);
      return result.user_id;
    },
    async confirm(ticket, browser, userId) {
      const result = await take(ticket, browser, 'confirm');
      if (result === null)
        throw unconfirmed('This confirmation has expired, or was started in another browser. Confirm again.');
      if ('code' in result) throw unconfirmed(result.message);
      if (result.user_id !== userId) throw unconfirmed(OTHER_PERSON);
    },
    isLinked,
    endUrl: provider.endUrl,
  };
}

const expired = () =>
  new ChorusError('unauthorized', 'This login has expired, or was started in another browser. Start again.');

/** Unlike `unauthorized`, this does not end the caller's own login. */
const unconfirmed = (message: string) => new ChorusError('sso_failed', message);

export const OTHER_PERSON = 'You have logged in at the identity provider as someone else.';
