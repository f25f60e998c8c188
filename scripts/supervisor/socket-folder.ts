import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from './settings.ts';

/** Limit of macOS without the terminating null byte; Linux allows 107. */
const maxSocketPathBytes = 103;
const longestName = 'redis.sock';

/**
 * Returns a private folder for Unix sockets: `preferred` if its path is short enough, otherwise a stable one in
 * the temporary folder.
 * @throws {SettingsError} when that folder belongs to someone else
 */
export function socketFolder(preferred: string, temporary = tmpdir()): string {
  const fits = Buffer.byteLength(join(preferred, longestName)) <= maxSocketPathBytes;
  if (fits) {
    mkdirSync(preferred, { recursive: true, mode: 0o700 });
    return preferred;
  }
  const user = process.getuid?.() ?? 0;
  const digest = createHash('sha256').update(preferred).digest('hex').slice(0, 12);
  const folder = join(temporary, `chorus-${user}-${digest}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // In a shared temporary folder, anyone may have created this folder and could replace the sockets.
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0) {
    throw new SettingsError(
      `The folder ${folder}, for sockets, is not private to this user: remove it, or shorten DATA_DIR.`,
    );
  }
  return folder;
}
