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
import { ConfigError } from '@chorus/runtime/config';
import { SecretBox } from './secret-box.ts';

export interface SecretKeySource {
  /** From SECRET_KEY. Null: read the file. */
  keys: readonly string[] | null;
  /** One key per line, the sealing one first. */
  file: string;
}

const KEY_BYTES = 32;

/** Returns null if there is no key yet. */
export function readSecretBox({ keys, file }: SecretKeySource): SecretBox | null {
  if (keys !== null) return new SecretBox(() => keys);
  let last = readKeys(file);
  if (last === null) return null;
  return new SecretBox(() => {
    last = readKeys(file) ?? last; // Keep working if the file disappears.
    return last ?? [];
  });
}

/** Creates the file with a random key unless it exists. Safe with several processes. */
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

/** Adds a new sealing key. Keeps the others for older backups. Not safe with several processes. */
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
  throw new ConfigError([`SECRET_KEY: the file ${file} has no key. Restore it from your copy`]);
}

/** Writes a file that only this user can read, syncs it, and publishes it. */
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
