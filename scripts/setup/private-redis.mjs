import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder, unpackPrivately } from './private-packages.mjs';

const folder = privateFolder('redis');

/** Path of `redis-server` after `unpackPrivateRedis`. */
export const privateRedisFolder = join(folder, 'bin');

/**
 * Fetches Debian's or Ubuntu's Redis by apt and unpacks it under the repository's own `.data` folder.
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export async function unpackPrivateRedis() {
  // redis-tools contains the server program.
  const unpacked = await unpackPrivately('redis', ['redis-server', 'redis-tools'], {
    path: 'bin/redis-server',
    script: 'exec "$files/usr/bin/redis-server" "$@"',
  });
  if (!unpacked.ok || existsSync(join(folder, 'files/usr/bin/redis-server'))) return unpacked;
  rmSync(folder, { recursive: true, force: true });
  return { ok: false, output: 'the package redis-server holds no usr/bin/redis-server' };
}
