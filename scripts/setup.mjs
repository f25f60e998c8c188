// Plain JavaScript without dependencies, because it runs on Node 20 before anything is installed. `node
// scripts/setup.mjs` only installs.
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareBuilds } from './setup/builds.mjs';
import { fillCompileCache } from './setup/compile-cache.mjs';
import { installPackages } from './setup/packages.mjs';
import { findOrInstallNode, linkPrivateNode } from './setup/private-node.mjs';
import { canRunSources, say } from './setup/project.mjs';
import { findOrInstallRedis } from './setup/redis.mjs';
import { explainFailures, SetupError } from './setup/setup-error.mjs';

/**
 * Installs missing npm packages, and a Redis server unless `needsRedis` is false. Builds the web console if
 * needed, and compiles the sources after an installation.
 * @param {{ needsRedis: boolean, needsConsole?: boolean, needsTools?: boolean }} needs
 * `needsTools`: whether to include packages for tests and checks
 * @returns {Promise<{ node: string, path: string }>} the Node that runs the sources, and the PATH
 * for it: one that finds the packages' programs and `redis-server`
 * @throws {SetupError} whose message says what the user can do
 */
export async function setUp({ needsRedis, needsConsole = false, needsTools = false }) {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new SetupError(`Chorus needs Node.js 20 or newer; this is ${process.version}. See https://nodejs.org.`);
  }
  // Each waits for something else: npm for a processor, the others for the network.
  const redis = needsRedis ? early(findOrInstallRedis()) : undefined;
  const ownNode = canRunSources(process.version);
  const fetched = ownNode ? undefined : early(findOrInstallNode());
  await installPackages({ needsTools });
  const node = (await fetched) ?? process.execPath;
  if (!ownNode) linkPrivateNode();
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  if (redis !== undefined) folders.push(dirname(await redis));
  const path = [...new Set([dirname(node), ...folders])].join(delimiter);
  if (needsConsole) await prepareBuilds(node);
  // Only a start of the platform needs both Redis and the console.
  if (needsRedis && needsConsole) await fillCompileCache(node, path);
  return { node, path };
}

/**
 * Lets a step fail while others are still awaited. @template T @param {Promise<T>} step
 */
function early(step) {
  step.catch(() => undefined);
  return step;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await explainFailures(async () => {
    const { node } = await setUp({ needsRedis: !process.env.REDIS_URL, needsConsole: true });
    say(`Everything is installed; the sources run on ${node}.`);
  });
}
