import { readFile } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract';

/**
 * The 10,000 most common passwords of at least 8 characters, lower case, most common first. From the dictionary
 * of `@zxcvbn-ts/language-common` 4.1.3 (MIT, © Dan Wheeler and Dropbox, © zxcvbn-ts).
 */
const LIST = new URL('./common-passwords.txt', import.meta.url);

let list: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns why a password is too easy to guess, or null.
 * @param email the account's address
 */
export async function weaknessOf(password: string, email: string): Promise<string | null> {
  const plain = password.trim().toLowerCase();
  if (plain === '') return 'must not be blank';
  const [name = ''] = email.split('@');
  if (plain === email || plain === name) return 'must not be your email address';
  if (/^(.)\1*$/su.test(plain)) return 'must not be one character repeated';
  // Read once, when the first password is set.
  list ??= readFile(LIST, 'utf8').then((text) => new Set(text.trimEnd().split('\n')));
  return (await list).has(plain) ? 'is one of the 10,000 most common passwords; choose another one' : null;
}

/**
 * Rejects a password that is easy to guess.
 * @param path the field that contains it
 * @throws {ChorusError} invalid_request
 */
export async function checkNewPassword(password: string, email: string, path: string): Promise<void> {
  const message = await weaknessOf(password, email);
  if (message !== null)
    throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
