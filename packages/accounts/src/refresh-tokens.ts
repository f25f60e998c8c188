import { createHash, createHmac, randomBytes } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { LoginDevice, RefreshFamilyRecord, RefreshTokenRepository } from '@chorus/database';

/** A refresh token and its issue time, from which the answer is derived. */
export interface RefreshGrant {
  token: string;
  familyId: string;
  userId: string;
  issuedAt: Date;
  tokenId: string;
}

export interface RefreshTokens {
  open(userId: string, device: LoginDevice): Promise<RefreshGrant>;
  /**
   * Exchanges a token for the next one of its family. The same token within 10 s gives the same grant.
   * @param options `newest`: a token used within those 10 s gives the newest grant instead, for a cookie shared
   * by several tabs
   * @throws {ChorusError} refresh_token_reused, after revoking the family and calling `onReuse`; unauthorized
   * for an unknown or expired token
   */
  rotate(
    token: string,
    device: LoginDevice,
    options: { newest: boolean; onReuse: (family: RefreshFamilyRecord) => Promise<void> },
  ): Promise<RefreshGrant>;
  /** Returns the open login a token belongs to, whether or not the token is still valid; null if there is none. */
  find(token: string): Promise<RefreshFamilyRecord | null>;
}

const PREFIX = 'chr_';
const FAMILY_BYTES = 16;
const SECRET_BYTES = 32;
const GRACE_MS = 10_000;

/**
 * Refresh tokens are opaque: 16 bytes name the family (one login), 32 bytes are the secret. The first secret is
 * random; each further one is HMAC(server secret, previous token). Any process can therefore repeat the answer
 * of the first use, while the database holds only hashes. A use is one compare-and-set on the family's
 * document: of several at once one wins, and the others find themselves among the recent uses. Access tokens
 * derive from the same facts.
 */
export function createRefreshTokens(
  repository: RefreshTokenRepository,
  { secret, ttlS }: { secret: string; ttlS: number },
): RefreshTokens {
  const expiryFrom = (now: Date) => new Date(now.getTime() + ttlS * 1_000);
  const successorOf = (family: Buffer, token: string) =>
    encode(family, createHmac('sha256', secret).update(token).digest());
  /** Follows the chain of tokens to the current one. */
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
      // Only holders of its tokens know the family's name. This is an old token, so someone has a copy.
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

function familyOf(token: string): Buffer | null {
  if (!token.startsWith(PREFIX)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  if (bytes.length !== FAMILY_BYTES + SECRET_BYTES) return null;
  // Base64 decoding ignores unknown characters. Accept only the canonical spelling.
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
  return new ChorusError('refresh_token_reused', 'This refresh token has already been used. Log in again.');
}
