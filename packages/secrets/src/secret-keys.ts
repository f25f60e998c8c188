import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '@chorus/config';
import { SecretBox } from './secret-box.ts';

/** Where the keys come from. */
export interface SecretKeySource {
  /** Of SECRET_KEY; null: they are in the file. */
  keys: readonly string[] | null;
  /** A key on each line, the one that seals first. */
  file: string;
}

const KEY_BYTES = 32;

/** @returns null where there is no key yet */
export function readSecretBox({ keys, file }: SecretKeySource): SecretBox | null {
  if (keys !== null) return new SecretBox(() => keys);
  let last = readKeys(file);
  if (last === null) return null;
  return new SecretBox(() => {
    last = readKeys(file) ?? last; // a file that is gone takes nothing away from what runs
    return last ?? [];
  });
}

/** Makes the file with a random key, unless there is one. Of several processes one makes it. */
export function createSecretKeyFile(file: string): void {
  write(file, [newKey()], (temporary) => {
    try {
      linkSync(temporary, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    rmSync(temporary);
  });
}

/** Puts a fresh key in front. The others stay, since older backups need them. Only one process may do so at a time. */
export function addSecretKey(file: string): void {
  const keys = [newKey(), ...(readKeys(file) ?? [])];
  write(file, keys, (temporary) => renameSync(temporary, file));
}

const newKey = () => randomBytes(KEY_BYTES).toString('base64url');

function readKeys(file: string): readonly string[] | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new ConfigError([`SECRET_KEY can't be read from ${file} (${code})`]);
  }
  const keys = text.split('\n').map((line) => line.trim());
  const found = keys.filter((key) => key !== '');
  if (found.length > 0) return found;
  throw new ConfigError([`SECRET_KEY: the file ${file} has no key. Bring it back from your copy of it`]);
}

/** Writes a file that only this user can read, and hands it over when it is on the disk. */
function write(file: string, keys: readonly string[], publish: (temporary: string) => void): void {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(temporary, 'wx', 0o600);
    writeSync(descriptor, `${keys.join('\n')}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    publish(temporary);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary);
    throw new ConfigError([`SECRET_KEY can't be kept in ${file} (${(error as NodeJS.ErrnoException).code})`]);
  }
}
