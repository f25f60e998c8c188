import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const API_KEY_PREFIX = 'chk_';
/** Base 32 without look-alike letters; a double click selects the whole key. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LOOKUP_LENGTH = 12;
const SECRET_LENGTH = 40;
const FORM = new RegExp(`^${API_KEY_PREFIX}[${ALPHABET}]{${LOOKUP_LENGTH + SECRET_LENGTH}}$`);

/** Generates a key: 60 bits of lookup prefix, 200 bits of secret. */
export function generateApiKey(): string {
  return API_KEY_PREFIX + Array.from(randomBytes(LOOKUP_LENGTH + SECRET_LENGTH), letterOf).join('');
}

const letterOf = (byte: number) => ALPHABET[byte % ALPHABET.length];

/** Returns the lookup prefix of a key, or null for anything that is not a key. */
export function lookupPrefix(key: string): string | null {
  return FORM.test(key) ? key.slice(0, API_KEY_PREFIX.length + LOOKUP_LENGTH) : null;
}

/** A plain hash is enough because the secret is random. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

export function isApiKeyOf(hash: string, key: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashApiKey(key)));
}
