import { createHash, randomBytes } from 'node:crypto';
import { ChorusError, type ErrorCode } from '@chorus/contract';
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
  start(asked: { redirectUri: string; returnTo: string }): Promise<{ url: string; browser: string }>;
  /**
   * Takes the provider's answer. Returns a ticket for the page that opens next, also for a refusal, which an address
   * could pretend.
   * @throws {ChorusError} unauthorized, unless this browser began the login
   */
  finish(answer: URL, browser: string | null): Promise<{ ticket: string; returnTo: string; refusal: ErrorCode | null }>;
  /** Consumes a ticket. @throws {ChorusError} unauthorized; sso_failed; forbidden for someone without an account */
  redeem(ticket: string, browser: string | null): Promise<string>;
  endUrl(returnTo: string): Promise<string | null>;
}

const STATE_TTL_S = 600;
const TICKET_TTL_S = 60;
const TICKET = /^sso_[\w-]{43}$/;
const STATE = /^[\w-]{20,200}$/;

const storedState = z.object({
  nonce: z.string(),
  verifier: z.string(),
  browser: z.string(),
  return_to: z.string(),
  redirect_uri: z.string(),
});
const storedTicket = z.object({
  browser: z.string(),
  result: z.union([
    z.object({ user_id: z.string() }),
    z.object({ code: z.enum(['sso_failed', 'forbidden']), message: z.string() }),
  ]),
});
type Result = z.infer<typeof storedTicket>['result'];

/** Returns what to tell the person. */
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
}: {
  name: string;
  provider: IdentityProvider;
  redis: RedisConnection;
  /** Returns the user of an identity, with the roles of their groups. */
  admit: (identity: ProvedIdentity) => Promise<UserRecord>;
}): SingleSignOn {
  const digest = (secret: string) => createHash('sha256').update(secret).digest('base64url');
  // Only hashes of secrets are stored, so reading Redis gives no access.
  const stateKey = (state: string) => `chorus:{sso:${digest(state)}}:state`;
  const ticketKey = (ticket: string) => `chorus:{sso:${digest(ticket)}}:ticket`;
  const isOf = (browser: string | null, expected: string) => browser !== null && digest(browser) === expected;

  return {
    name,
    async start({ redirectUri, returnTo }) {
      const { url, state, nonce, verifier } = await provider.start(redirectUri);
      const browser = randomBytes(32).toString('base64url');
      const stored: z.infer<typeof storedState> = {
        nonce,
        verifier,
        browser: digest(browser),
        return_to: returnTo,
        redirect_uri: redirectUri,
      };
      await fromRedis(redis.set(stateKey(state), JSON.stringify(stored), 'EX', STATE_TTL_S));
      return { url, browser };
    },
    async finish(answer, browser) {
      const state = answer.searchParams.get('state') ?? '';
      const stored = STATE.test(state) ? await fromRedis(redis.getdel(stateKey(state))) : null;
      if (stored === null) throw expired();
      const { nonce, verifier, return_to: returnTo, ...known } = storedState.parse(JSON.parse(stored));
      // Otherwise, a link of someone else could log this browser in as them.
      if (!isOf(browser, known.browser)) throw expired();
      const url = new URL(known.redirect_uri);
      url.search = answer.search;
      const proving = provider.finish(url, { state, nonce, verifier }).then(admit);
      const result: Result = await proving.then(({ id }) => ({ user_id: id }), refusalOf);
      const ticket = `sso_${randomBytes(32).toString('base64url')}`;
      const kept: z.infer<typeof storedTicket> = { browser: known.browser, result };
      await fromRedis(redis.set(ticketKey(ticket), JSON.stringify(kept), 'EX', TICKET_TTL_S));
      return { ticket, returnTo, refusal: 'code' in result ? result.code : null };
    },
    async redeem(ticket, browser) {
      const stored = TICKET.test(ticket) ? await fromRedis(redis.getdel(ticketKey(ticket))) : null;
      const kept = stored === null ? null : storedTicket.parse(JSON.parse(stored));
      if (kept === null || !isOf(browser, kept.browser)) throw expired();
      if ('code' in kept.result) throw new ChorusError(kept.result.code, kept.result.message);
      return kept.result.user_id;
    },
    endUrl: provider.endUrl,
  };
}

const expired = () =>
  new ChorusError('unauthorized', 'This login has expired, or was begun in another browser. Start again.');
