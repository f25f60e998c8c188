import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Generates codes of 80 random bits, such as `7d3k-q0xz-4m9h-w2n5`. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const letters = Array.from(randomBytes(GROUPS * GROUP_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
    return Array.from({ length: GROUPS }, (_, group) =>
      letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
    ).join('-');
  });
}

/** A plain hash is enough for a random value. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(plainCode(code)).digest('base64url');
}

/** Normalizes a code: strips separators. */
export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}
