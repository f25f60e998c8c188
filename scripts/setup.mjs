// Plain JavaScript for Node 20, without a dependency: it runs before anything is installed.
// `node scripts/setup.mjs` alone installs and starts nothing.
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareConsole } from './setup/console.mjs';
import { installPackages, rightNode } from './setup/packages.mjs';
import { say } from './setup/project.mjs';
import { findOrInstallRedis } from './setup/redis.mjs';
import { explainFailures, SetupError } from './setup/setup-error.mjs';

/**
 * Installs what is missing: the npm packages, and a Redis server unless `needsRedis` is false; and builds the web console where it is needed.
 * @param {{ needsRedis: boolean, needsConsole?: boolean }} needs
 * @returns {Promise<{ node: string, path: string }>} the Node that runs the sources, and the PATH for it: one that
 *   finds the packages' programs and `redis-server`
 * @throws {SetupError} whose message says what the user can do
 */
export async function setUp({ needsRedis, needsConsole = false }) {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new SetupError(`Chorus needs Node.js 20 or newer; this is ${process.version}. See https://nodejs.org.`);
  }
  await installPackages();
  const node = await rightNode();
  if (needsConsole) await prepareConsole(node);
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  if (needsRedis) folders.push(dirname(await findOrInstallRedis()));
  return { node, path: [...new Set([dirname(node), ...folders])].join(delimiter) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await explainFailures(async () => {
    const { node } = await setUp({ needsRedis: !process.env.REDIS_URL, needsConsole: true });
    say(`All is installed; the sources run on ${node}.`);
  });
}
