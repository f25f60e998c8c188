import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { canRunSources, root, say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const incompleteInstall = [
  'npm ended without an error, but node_modules is not what package-lock.json describes.',
  'Delete the folder node_modules and run the command again.',
].join('\n');

/**
 * Installs npm packages that are missing or differ from package-lock.json.
 * @throws {SetupError} when npm can't
 */
export async function installPackages() {
  if (packagesAreInstalled(root)) return;
  await withInstallLock(async () => {
    if (packagesAreInstalled(root)) return;
    say('Installing the npm packages (about a minute, once) …');
    const began = Date.now();
    // Not `npm ci`: it rejects a package-lock.json without the binaries of other platforms, and deletes
    // node_modules while a platform may run. `--no-save` leaves package-lock.json unchanged.
    const quickly = '--fetch-retry-maxtimeout=10000'; // without a network, npm would be silent for over a minute
    const { ok, output } = await runQuietly('npm', ['install', '--no-save', '--loglevel=error', quickly], {
      cwd: root,
      env: environmentOutside(root),
    });
    if (!ok) throw new SetupError(explainNpmFailure(output));
    if (!packagesAreInstalled(root)) throw new SetupError(incompleteInstall);
    say(`Installed the npm packages in ${Math.round((Date.now() - began) / 1000)} s.`);
  });
}

/**
 * Returns whether node_modules has each package of package-lock.json in its version. npm writes its own list
 * (`node_modules/.package-lock.json`) last, so an interrupted install does not count.
 * @param {string} folder the repository
 */
export function packagesAreInstalled(folder) {
  const wanted = readPackages(join(folder, 'package-lock.json'));
  const installed = readPackages(join(folder, 'node_modules/.package-lock.json'));
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true; // the project's own folders
    const found = installed[path];
    if (!found) return Boolean(entry.optional || entry.devOptional || entry.peer); // left out on this platform
    return entry.link ? found.link === true : found.version === entry.version;
  });
}

/**
 * Finds the Node that runs the sources: this process's if it is new enough, otherwise the one among the
 * packages.
 * @returns {Promise<string>} its path
 * @throws {SetupError} when neither can run here
 */
export async function rightNode() {
  if (canRunSources(process.version)) return process.execPath;
  const packaged = join(root, 'node_modules/.bin/node');
  const { ok, output } = await runQuietly(packaged, ['--version'], { timeoutMs: 30_000 });
  if (ok && canRunSources(output.trim())) return packaged;
  throw new SetupError(
    [
      `The Node.js that npm installs for this project does not run on this machine (${output.trim() || 'no output'}).`,
      'It needs glibc, and npm must be allowed to run install scripts (`npm config get ignore-scripts` → false).',
      'Otherwise install Node.js 26 or newer from https://nodejs.org and run the command again with it.',
    ].join('\n'),
  );
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
  if (/ENOSPC/.test(output)) return `The disk is full; the npm packages need about 700 MB. npm said:\n${tail}`;
  return `npm could not install the packages. It said:\n${tail}`;
}

/**
 * @param {string} file
 * @typedef {{ version?: string, link?: boolean, optional?: boolean, devOptional?: boolean, peer?: boolean }}
 * Locked
 * @returns {Record<string, Locked> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
