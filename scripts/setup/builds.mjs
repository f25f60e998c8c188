import { join } from 'node:path';
import { consoleIsBuilt } from '../../apps/console/build.mjs';
import { programsAreBuilt } from '../programs/built-programs.mjs';
import { lockFolder, withInstallLock } from './install-lock.mjs';
import { root, say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const BUILDS = [
  { name: 'web console', isBuilt: consoleIsBuilt, script: 'apps/console/build.mjs', isNeeded: true },
  // Without them, the sources run.
  { name: 'programs', isBuilt: () => programsAreBuilt(root), script: 'scripts/programs/build.mjs', isNeeded: false },
];

/**
 * Builds the web console and the programs, each if its sources have changed since its last build.
 * @param {string} node the Node that runs the sources
 * @throws {SetupError} with the builder's output
 */
export async function prepareBuilds(node) {
  await Promise.all(BUILDS.map((build) => prepare(build, node)));
}

/** @param {typeof BUILDS[number]} build @param {string} node */
async function prepare({ name, isBuilt, script, isNeeded }, node) {
  if (isBuilt()) return;
  await withInstallLock(
    async () => {
      if (isBuilt()) return;
      say(`Building the ${name} (a few seconds, after each change to the sources) …`);
      const { ok, output } = await runQuietly(node, [join(root, script)], { cwd: root });
      if (ok) return;
      const problem = `The ${name} could not be built:\n${output.trim().split('\n').slice(-30).join('\n')}`;
      if (isNeeded) throw new SetupError(problem);
      say(`${problem}\nChorus starts without them, more slowly.`);
    },
    lockFolder(name.replace(' ', '-')),
  );
}
