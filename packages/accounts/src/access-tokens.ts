import { ChorusError } from '@chorus/contract';
import * as errors from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { ExpiringCache } from './expiring-cache.ts';
import type { KeySet } from './key-set.ts';

export interface AccessTokens {
  /** Returns a JWT for the user. Equal arguments give equal tokens: Ed25519 is deterministic. */
  issue(token: { userId: string; loginId: string; id: string; issuedAt: Date }): Promise<string>;
  /**
   * Returns the user and the login of a token.
   * @throws {ChorusError} token_expired, even before `exp` if the token exceeds the maximum age; unauthorized for any
   * other defect
   */
  verify(jwt: string): Promise<VerifiedToken>;
}

export interface VerifiedToken {
  userId: string;
  loginId: string;
}

const ALGORITHM = 'EdDSA';
const ISSUER = 'chorus';
const AUDIENCE = 'chorus';
/** RFC 9068: other kinds of JWT cannot pass as an access token. */
const TYPE = 'at+jwt';
const LONGEST_TOKEN = 4_096;
const CACHED_TOKENS = 10_000;
const CLOCK_SKEW_S = 60;

export function createAccessTokens(keys: KeySet, ttlS: number): AccessTokens {
  const verified = new ExpiringCache<{ token: VerifiedToken; revision: string }>(CACHED_TOKENS);

  return {
    issue: async ({ userId, loginId, id, issuedAt }) => {
      const { kid, key } = await keys.signing(issuedAt);
      const iat = Math.floor(issuedAt.getTime() / 1_000);
      return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: userId, sid: loginId, jti: id, iat, exp: iat + ttlS })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
        .sign(key);
    },
    verify: async (jwt) => {
      const revision = await keys.revision();
      const cached = verified.get(jwt);
      if (cached?.revision === revision) return cached.token;
      if (jwt.length > LONGEST_TOKEN) throw notValid();
      try {
        const { payload } = await jwtVerify(
          jwt,
          async ({ kid }) => {
            const key = typeof kid === 'string' ? await keys.verifying(kid) : null;
            if (key === null) throw notValid();
            return key;
          },
          {
            algorithms: [ALGORITHM],
            issuer: ISSUER,
            audience: AUDIENCE,
            typ: TYPE,
            requiredClaims: ['sub', 'sid', 'exp', 'iat'],
          },
        );
        const { sub = '', exp = 0, iat = 0 } = payload;
        const endsAt = Math.min(exp, iat + ttlS);
        const now = Date.now() / 1_000;
        if (iat > now + CLOCK_SKEW_S) throw notValid();
        if (endsAt <= now) throw expired();
        const token = { userId: sub, loginId: String(payload.sid) };
        verified.set(jwt, { token, revision }, endsAt * 1_000);
        return token;
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw expired(error);
        if (error instanceof errors.JOSEError) throw notValid(error);
        if (error instanceof ChorusError) throw error;
        // jose throws plain TypeErrors for input that is not even JSON or base64.
        if (error instanceof TypeError || error instanceof SyntaxError) throw notValid(error);
        throw error;
      }
    },
  };
}

function expired(cause?: unknown): ChorusError {
  return new ChorusError('token_expired', 'This access token has expired.', { cause });
}

function notValid(cause?: unknown): ChorusError {
  return new ChorusError('unauthorized', 'This access token is not valid.', { cause });
}
