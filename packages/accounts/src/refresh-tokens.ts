import { createHash, createHmac, randomBytes } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { LoginDevice, RefreshFamilyRecord, RefreshTokenRepository } from '@chorus/database';

/** A refresh token, and when it was made: what the answer is derived from. */
export interface RefreshGrant {
  token: string;
  /** Names the login. */
  familyId: string;
  userId: string;
  issuedAt: Date;
  /** Id for the access token that goes with it. */
  tokenId: string;
}

export interface RefreshTokens {
  /** The first token of a new login. */
  open(userId: string, device: LoginDevice): Promise<RefreshGrant>;
  /**
   * Uses a token: the next one of its family. The same token again within 10 s gives the same grant; later it revokes the family
   * and throws `refresh_token_reused`, after `onReuse`. Throws `unauthorized` for one that is unknown or has expired.
   *
   * @param options `newest`: a token that was used within those 10 s gives the newest grant instead, for a cookie that several tabs share
   */
  rotate(
    token: string,
    device: LoginDevice,
    options: { newest: boolean; onReuse: (family: RefreshFamilyRecord) => Promise<void> },
  ): Promise<RefreshGrant>;
  /** The login that a token belongs to, whether the token is still good or not; null: none that has not ended. */
  find(token: string): Promise<RefreshFamilyRecord | null>;
}

const PREFIX = 'chr_';
const FAMILY_BYTES = 16;
const SECRET_BYTES = 32;
const GRACE_MS = 10_000;

/**
 * Refresh tokens are opaque: 16 bytes that name the family (one login), 32 that are the secret. The first secret is random; each
 * further one is HMAC(server's secret, token before). So any process can give a retry the very answer that the first use
 * got, while the database holds hashes alone. A use is one compare-and-set on the family's document, so of several at once one
 * wins, and the others find themselves among its last uses. The access token derives from the same facts.
 */
export function createRefreshTokens(
  repository: RefreshTokenRepository,
  { secret, ttlS }: { secret: string; ttlS: number },
): RefreshTokens {
  const expiryFrom = (now: Date) => new Date(now.getTime() + ttlS * 1_000);
  const successorOf = (family: Buffer, token: string) =>
    encode(family, createHmac('sha256', secret).update(token).digest());
  /** Follows the chain of tokens to the one that is good now. */
  const newestAfter = (family: Buffer, token: string, { current_hash, rotations }: RefreshFamilyRecord): string => {
    let next = token;
    for (let steps = 0; steps <= rotations.length; steps++) {
      if (hashOf(next) === current_hash) return next;
      next = successorOf(family, next);
    }
    return token;
  };
  const grant = (token: string, familyId: string, userId: string, issuedAt: Date): RefreshGrant => ({
    token,
    familyId,
    userId,
    issuedAt,
    tokenId: hashOf(`access ${token}`).slice(0, 22),
  });

  return {
    open: async (userId, device) => {
      const now = new Date();
      const family = randomBytes(FAMILY_BYTES);
      const token = encode(family, randomBytes(SECRET_BYTES));
      const id = family.toString('base64url');
      await repository.open({
        id,
        user_id: userId,
        current_hash: hashOf(token),
        expires_at: expiryFrom(now),
        ...device,
      });
      return grant(token, id, userId, now);
    },
    rotate: async (token, device, { newest, onReuse }) => {
      const family = familyOf(token);
      if (family === null) throw notValid();
      const familyId = family.toString('base64url');
      const successor = successorOf(family, token);
      const now = new Date();
      const hashes = { from_hash: hashOf(token), to_hash: hashOf(successor) };
      const used = { ...hashes, at: now, expires_at: expiryFrom(now), ...device };
      const rotated = await repository.rotate(familyId, used);
      if (rotated !== null) return grant(successor, familyId, rotated.user_id, now);

      const found = await repository.find(familyId);
      if (found === null || found.expires_at <= now) throw notValid();
      if (found.revoked_at !== null) throw reused();
      const earlier = found.rotations.findLast((rotation) => rotation.hash === used.from_hash);
      if (earlier !== undefined && now.getTime() - earlier.at.getTime() <= GRACE_MS) {
        const given = newest ? newestAfter(family, successor, found) : successor;
        return grant(given, familyId, found.user_id, earlier.at);
      }
      // Only holders of one of its tokens know the family's name, so this is an old token: somebody has a copy.
      await repository.revoke(familyId, now);
      await onReuse(found);
      throw reused();
    },
    find: async (token) => {
      const name = familyOf(token);
      const found = name === null ? null : await repository.find(name.toString('base64url'));
      if (found === null || found.revoked_at !== null) return null;
      const hash = hashOf(token);
      const isOfIt = found.current_hash === hash || found.rotations.some((rotation) => rotation.hash === hash);
      return isOfIt ? found : null;
    },
  };
}

function encode(family: Buffer, secret: Buffer): string {
  return PREFIX + Buffer.concat([family, secret]).toString('base64url');
}

/** The family that a token names; null for what never was a token. */
function familyOf(token: string): Buffer | null {
  if (!token.startsWith(PREFIX)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  if (bytes.length !== FAMILY_BYTES + SECRET_BYTES) return null;
  // The one spelling: base64 decoding skips what it doesn't know.
  if (PREFIX + bytes.toString('base64url') !== token) return null;
  return bytes.subarray(0, FAMILY_BYTES);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function notValid(): ChorusError {
  return new ChorusError('unauthorized', 'This refresh token is not valid.');
}

function reused(): ChorusError {
  return new ChorusError('refresh_token_reused', 'This refresh token was used before; log in again.');
}
