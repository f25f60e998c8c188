import { randomBytes } from 'node:crypto';
import { hash, type Options, verify } from '@node-rs/argon2';

/** OWASP's first recommendation for argon2id (this package's default): 19 MiB, two passes, one lane. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Base 32 without look-alike letters. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const GROUPS = 4;
const GROUP_LENGTH = 5;

let decoy: Promise<string> | undefined;

/** Systems type the same letters in different forms of Unicode. */
const composed = (password: string) => password.normalize('NFC');

export function hashPassword(password: string): Promise<string> {
  return hash(composed(password), COST);
}

/**
 * Returns whether the password matches the hash. Without a hash (unknown user), takes equally long and returns false.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(32).toString('base64url'));
  const stored = passwordHash ?? (await decoy);
  let matches = await verify(stored, composed(password));
  // Older hashes are of passwords as they were typed.
  if (composed(password) !== password) matches = (await verify(stored, password)) || matches;
  return passwordHash !== null && matches;
}

/** Generates a password of 100 random bits that can be read aloud, such as `7d3kq-0xz4m-…`. */
export function generatePassword(): string {
  const letters = Array.from(randomBytes(GROUPS * GROUP_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
  return Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
  ).join('-');
}
