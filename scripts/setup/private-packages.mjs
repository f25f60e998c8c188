import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';

/** @param {string} name @returns {string} the folder that `unpackPrivately` fills */
export const privateFolder = (name) => join(root, '.data/tools', name);

/**
 * Downloads packages of Debian or Ubuntu and their missing dependencies by apt, and unpacks them to
 * `.data/tools/<name>/files`. Unlike an installation, this needs no root rights, starts no service, and leaves
 * the system unchanged.
 * @param {string} name
 * @param {string[]} packages
 * @param {Launcher} launcher
 * @returns {Promise<{ ok: boolean, output: string }>}
 *
 * @typedef {{ path: string, script: string }} Launcher starts one of the programs: its path below the folder,
 * and a shell script in which `$files` is the folder of the unpacked files; it also finds their libraries
 */
export async function unpackPrivately(name, packages, launcher) {
  const folder = privateFolder(name);
  const work = `${folder}.${process.pid}`;
  try {
    for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(work, part), { recursive: true });
    // apt's folders belong to root, so use others, and only read the system's package status.
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
    // --reinstall also downloads installed packages.
    const download = ['-y', '-qq', '--no-install-recommends', '--download-only', '--reinstall', 'install'];
    const downloaded = await runQuietly('apt-get', [...options, ...download, ...packages]);
    if (!downloaded.ok) return downloaded;
    for (const file of readdirSync(join(work, 'archives')).filter((each) => each.endsWith('.deb'))) {
      const unpacked = await runQuietly('dpkg', ['-x', join(work, 'archives', file), join(work, 'files')]);
      if (!unpacked.ok) return unpacked;
    }
    writeLauncher(join(work, launcher.path), launcher.script);
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

/** `exec` in the script keeps the pid. @param {string} path @param {string} script */
function writeLauncher(path, script) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh
files=$(cd "$(dirname "$0")/../files" && pwd)
# PulseAudio and others keep libraries one folder further down.
for libraries in "$files"/lib/*-linux-* "$files"/usr/lib/*-linux-*/*/ "$files"/usr/lib/*-linux-*; do
  LD_LIBRARY_PATH=$libraries:$LD_LIBRARY_PATH
done
export LD_LIBRARY_PATH
${script}
`,
  );
  chmodSync(path, 0o755);
}
