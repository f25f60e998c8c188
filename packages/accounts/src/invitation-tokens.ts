import { createHash, randomBytes } from 'node:crypto';
import { ChorusError } from '@chorus/contract';

const PREFIX = 'chi_';
const TOKEN_BYTES = 32;

/** Returns a new token, and its hash, which is stored. */
export function newInvitationToken(): { token: string; token_hash: string } {
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, token_hash: hashOfInvitation(token) };
}

export function hashOfInvitation(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function unknownInvitation(): ChorusError {
  return new ChorusError('not_found', 'This invitation is unknown, or was used, revoked, or has expired.');
}
