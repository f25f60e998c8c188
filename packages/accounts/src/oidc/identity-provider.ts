import { ChorusError, plainEmail } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import type { Configuration } from 'openid-client';

/** The settings of an identity provider. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scopes: string;
  groupsClaim: string;
}

/** Ties the provider's answer to its request. */
export interface AuthorizationState {
  state: string;
  nonce: string;
  verifier: string;
  /** Set if the person must have logged in after this time, in Unix milliseconds. */
  freshSince?: number | undefined;
}

/** The person who logged in at the provider. */
export interface ProvedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  /** Null: unknown. */
  emailVerified: boolean | null;
  /** Null: the provider did not send them. */
  groups: readonly string[] | null;
}

const TIMEOUT_S = 10;
/** Maximum size of the provider's documents and answers. */
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_GROUPS = 1_000;

/**
 * An OpenID provider. `openid-client`, which is loaded at the first login, does discovery, PKCE, and the checks of
 * answers.
 */
export function createIdentityProvider(settings: ProviderSettings, log: Logger) {
  const { issuer, clientId, clientSecret, scopes, groupsClaim } = settings;
  const load = () => import('openid-client');
  let discovering: Promise<Configuration> | null = null;
  const discover = async (): Promise<Configuration> => {
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks, None } = await load();
    const url = new URL(issuer);
    return discovery(url, clientId, clientSecret ?? undefined, clientSecret === null ? None() : undefined, {
      timeout: TIMEOUT_S,
      [customFetch]: boundedFetch,
      // Without the first, signatures are not checked. The configuration accepts HTTP for loopback addresses only.
      execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
  };
  /** Caches the endpoints, but not a failure. */
  const configuration = (): Promise<Configuration> => {
    discovering ??= discover().catch((error) => {
      discovering = null;
      throw failure(error, 'discovery');
    });
    return discovering;
  };

  /** Errors of the package may contain tokens in their cause, so only names and codes are logged. */
  const failure = (error: unknown, step: string): ChorusError => {
    if (error instanceof ChorusError) return error;
    const { name, code, error: reason } = error as { name?: string; code?: string; error?: string };
    log.warn({ step, error: name, code, reason }, 'single sign-on failed');
    const denied = reason === 'access_denied';
    return new ChorusError(
      'sso_failed',
      denied
        ? 'The identity provider refused the login.'
        : 'The login at the identity provider failed. Try again; the log of the server has the reason.',
    );
  };

  return {
    /**
     * @param fresh whether the person must log in now, even if already logged in at the provider
     * @throws {ChorusError} sso_failed
     */
    async start(redirectUri: string, fresh: boolean): Promise<AuthorizationState & { url: string }> {
      const config = await configuration();
      const client = await load();
      const verifier = client.randomPKCECodeVerifier();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(fresh && { prompt: 'login', max_age: '0' }),
      });
      return { url: url.href, state, nonce, verifier, ...(fresh && { freshSince: Date.now() }) };
    },

    /**
     * Exchanges the provider's answer for the person's identity.
     * @param answer the URL that the browser was sent back to
     * @throws {ChorusError} sso_failed
     */
    async finish(answer: URL, { state, nonce, verifier, freshSince }: AuthorizationState): Promise<ProvedIdentity> {
      const config = await configuration();
      const client = await load();
      try {
        const tokens = await client.authorizationCodeGrant(config, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(freshSince !== undefined && { maxAge: Math.ceil((Date.now() - freshSince) / 1_000) }),
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new ChorusError('sso_failed', 'The identity provider sent no ID token.');
        // Many providers put only the subject into the ID token.
        const isComplete = claims.email !== undefined && claims[groupsClaim] !== undefined;
        const mayAsk = config.serverMetadata().userinfo_endpoint !== undefined;
        const more = isComplete || !mayAsk ? {} : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
        const known: Record<string, unknown> = { ...more, ...claims };
        if (isElsewhere(known, groupsClaim))
          throw new ChorusError(
            'sso_failed',
            'The identity provider does not send your groups, since there are too many. Ask an operator to limit them.',
          );
        return {
          issuer: claims.iss,
          subject: claims.sub,
          ...emailIn(claims, more),
          groups: groupsIn(known[groupsClaim]),
        };
      } catch (error) {
        throw failure(error, 'login');
      }
    },

    /** Returns the URL that ends a browser's login at the provider. Null: the provider has none. */
    async endUrl(returnTo: string): Promise<string | null> {
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const { buildEndSessionUrl } = await load();
      return buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href;
    },
  };
}

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Returns whether a claim was left out, with a reference to where it can be read (OpenID Connect Core 5.6.2). */
function isElsewhere(claims: Record<string, unknown>, claim: string): boolean {
  const names = claims._claim_names;
  return typeof names === 'object' && names !== null && claim in names && claims[claim] === undefined;
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the email address, and whether the provider has verified this very address. The ID token and the answer about
 * the user may have different ones.
 */
function emailIn(token: Claims, more: Claims): Pick<ProvedIdentity, 'email' | 'emailVerified'> {
  const sources = [token, more].filter(({ email }) => typeof email === 'string');
  const email = sources[0] === undefined ? null : plainEmail(sources[0].email as string);
  const told = sources
    .filter((source) => plainEmail(source.email as string) === email)
    .map(({ email_verified }) => isVerified(email_verified));
  return { email, emailVerified: told.includes(false) ? false : told.includes(true) ? true : null };
}

/** Some providers send text. Null: neither true nor false. */
function isVerified(claim: unknown): boolean | null {
  if (claim === true || claim === 'true') return true;
  return claim === false || claim === 'false' ? false : null;
}

/** A `fetch` whose answers end with an error when they are too large. */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) controller.error(new Error('The answer of the identity provider is too large.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
}

function groupsIn(claim: unknown): readonly string[] | null {
  if (typeof claim === 'string') return [claim];
  if (!Array.isArray(claim)) return null;
  return claim.filter((one) => typeof one === 'string').slice(0, MAX_GROUPS);
}
