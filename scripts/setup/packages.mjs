import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { root, say } from './project.mjs';
import { prunePackages } from './prune-packages.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const incompleteInstall = [
  'npm ended without an error, but node_modules is not what package-lock.json describes.',
  'Delete the folder node_modules and run the command again.',
].join('\n');

/**
 * Installs npm packages that are missing or differ from package-lock.json.
 * @param {{ needsTools: boolean }} needs whether to include those for tests and checks
 * @throws {SetupError} when npm can't
 */
export async function installPackages({ needsTools }) {
  if (packagesAreInstalled(root, needsTools)) return;
  await withInstallLock(async () => {
    if (packagesAreInstalled(root, needsTools)) return;
    say('Installing the npm packages (about a minute, once) …');
    const began = Date.now();
    // Not `npm ci`: it rejects a package-lock.json without the binaries of other platforms, and deletes
    // node_modules while a platform may run. `--no-save` leaves package-lock.json unchanged.
    const quickly = '--fetch-retry-maxtimeout=10000'; // without a network, npm would be silent for over a minute
    const args = ['install', '--no-save', '--loglevel=error', quickly, ...(needsTools ? [] : ['--omit=dev'])];
    const options = { cwd: root, env: environmentOutside(root) };
    const registry = (await runQuietly('npm', ['config', 'get', 'registry'], options)).output.trim();
    const withoutLists = await withAddresses(root, registry, () => runQuietly('npm', args, options));
    // Some registries use other addresses.
    const { ok, output } = withoutLists.ok ? withoutLists : await runQuietly('npm', args, options);
    if (!ok) throw new SetupError(explainNpmFailure(output));
    if (!packagesAreInstalled(root, needsTools)) throw new SetupError(incompleteInstall);
    prunePackages(join(root, 'node_modules'), { needsTools });
    say(`Installed the npm packages in ${Math.round((Date.now() - began) / 1000)} s.`);
  });
}

/**
 * Returns whether node_modules has each package of package-lock.json in its version. npm writes its own list
 * (`node_modules/.package-lock.json`) last, so an interrupted install does not count.
 * @param {string} folder the repository
 * @param {boolean} needsTools whether packages for tests and checks count
 */
export function packagesAreInstalled(folder, needsTools) {
  const wanted = readPackages(join(folder, 'package-lock.json'));
  const installed = readPackages(join(folder, 'node_modules/.package-lock.json'));
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true; // the project's own folders
    const found = installed[path];
    if (!found && entry.dev && !needsTools) return true;
    if (!found) return Boolean(entry.optional || entry.devOptional || entry.peer); // left out on this platform
    return entry.link ? found.link === true : found.version === entry.version;
  });
}

/**
 * Runs npm with a lock file that has the address of each package. Ours has none, since registries differ, so npm would
 * fetch the list of all versions of each package first, over 100 MB.
 * @template T
 * @param {string} folder the repository
 * @param {string} registry the address of the configured registry
 * @param {() => Promise<T>} install
 * @returns {Promise<T>}
 */
export async function withAddresses(folder, registry, install) {
  const file = join(folder, 'npm-shrinkwrap.json'); // wins over package-lock.json
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(/** @type {Record<string, Locked>} */ (lock.packages))) {
    const [, installedAs] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (installedAs === undefined || entry.link || entry.resolved) continue;
    const name = entry.name ?? installedAs; // an alias has another name
    entry.resolved = `${registry.replace(/\/$/, '')}/${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`;
  }
  try {
    writeFileSync(file, JSON.stringify(lock));
    return await install();
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * Returns the environment without the folder's node_modules on PATH: npm may replace that folder, so it must
 * not run on a Node inside it.
 * @param {string} folder
 */
function environmentOutside(folder) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(`${folder}/node_modules`));
  return { ...process.env, PATH: path.join(delimiter) };
}

/** @param {string} output what npm printed */
function explainNpmFailure(output) {
  const lines = output.split('\n').filter((line) => line.trim() && !/^npm error\s*(at .*)?$/.test(line));
  const tail = lines.slice(-15).join('\n');
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/.test(output)) {
    return [
      'npm could not reach its registry, and the packages are not installed yet: a first start needs the network.',
      'Check the connection, the proxy (`npm config get proxy`) and the registry (`npm config get registry`), then run',
      `the command again. npm said:\n${tail}`,
    ].join('\n');
  }
  if (/ENOENT/.test(output) && /\bnpm\b/.test(output) && /spawn/.test(output)) {
    return 'npm is not on PATH. Install Node.js with npm (https://nodejs.org) and run the command again.';
  }
  if (/EACCES|EROFS|EPERM/.test(output)) {
    return `npm may not write to ${root}/node_modules: run the command as the folder's owner. npm said:\n${tail}`;
  }
  if (/ENOSPC/.test(output)) return `The disk is full; the npm packages need about 1.3 GB. npm said:\n${tail}`;
  return `npm could not install the packages. It said:\n${tail}`;
}

/**
 * @param {string} file
 * @typedef {'link' | 'dev' | 'optional' | 'devOptional' | 'peer'} Flag
 * @typedef {{ version?: string, name?: string, resolved?: string } & { [F in Flag]?: boolean }} Locked
 * @returns {Record<string, Locked> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
