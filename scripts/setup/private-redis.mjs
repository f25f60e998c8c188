import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';

const folder = join(root, '.data/tools/redis');

/** Where `redis-server` lies once `unpackPrivateRedis` has put it there. */
export const privateRedisFolder = join(folder, 'bin');

/**
 * Fetches Debian's or Ubuntu's Redis by apt and unpacks it under the repository's own `.data` folder. It needs no
 * rights of root, leaves the system as it was, and starts no service, unlike installing the package.
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export async function unpackPrivateRedis() {
  const work = `${folder}.${process.pid}`;
  try {
    for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(work, part), { recursive: true });
    // apt's own folders belong to root: give it others, and the system's record of what is installed to read.
    const options = [
      `Dir::State::lists=${work}/lists`,
      `Dir::Cache=${work}`,
      `Dir::Cache::archives=${work}/archives`,
      'Debug::NoLocking=1',
      'APT::Sandbox::User=',
      'Acquire::Retries=2',
      'Acquire::http::Timeout=20',
      'Acquire::https::Timeout=20',
    ].flatMap((option) => ['-o', option]);
    const updated = await runQuietly('apt-get', [...options, '-qq', 'update']);
    if (!updated.ok) return updated;
    // redis-tools holds the program itself; --reinstall fetches it also where it is installed without the server.
    const download = ['-y', '-qq', '--no-install-recommends', '--download-only', '--reinstall', 'install'];
    const downloaded = await runQuietly('apt-get', [...options, ...download, 'redis-server', 'redis-tools']);
    if (!downloaded.ok) return downloaded;
    for (const name of readdirSync(join(work, 'archives')).filter((file) => file.endsWith('.deb'))) {
      const unpacked = await runQuietly('dpkg', ['-x', join(work, 'archives', name), join(work, 'files')]);
      if (!unpacked.ok) return unpacked;
    }
    const server = existsSync(join(work, 'files/usr/bin/redis-server'));
    if (!server) return { ok: false, output: 'the package redis-server holds no usr/bin/redis-server' };
    writeLauncher(work);
    for (const rest of ['lists', 'archives']) rmSync(join(work, rest), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const launcherScript = `#!/bin/sh
files=$(dirname "$0")/../files
for libraries in "$files"/usr/lib/*-linux-*; do
  LD_LIBRARY_PATH=$libraries:$LD_LIBRARY_PATH
done
export LD_LIBRARY_PATH
exec "$files/usr/bin/redis-server" "$@"
`;

/** A `redis-server` that finds the libraries unpacked beside it; `exec` keeps the pid. @param {string} work */
function writeLauncher(work) {
  mkdirSync(join(work, 'bin'));
  const launcher = join(work, 'bin/redis-server');
  writeFileSync(launcher, launcherScript);
  chmodSync(launcher, 0o755);
}
