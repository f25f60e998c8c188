import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from './settings.ts';

/** The longest path of a unix socket that every system takes: 104 bytes with its end on macOS, 108 on Linux. */
const maxSocketPathBytes = 103;
const longestName = 'redis.sock';

/**
 * A folder for unix sockets that only this user can enter: `preferred` where the paths in it are short enough for a
 * socket, else one under the system's temporary folder that always is the same for it.
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
  // Anyone may make a folder of that name in a shared temporary folder, and would then own the sockets in it.
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0) {
    throw new SettingsError(
      `The folder ${folder}, for sockets, is not this user's alone: remove it, or shorten DATA_DIR.`,
    );
  }
  return folder;
}
