import { join } from 'node:path';
import { consoleIsBuilt } from '../../apps/console/build.mjs';
import { lockFolder, withInstallLock } from './install-lock.mjs';
import { root, say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Builds the web console if its sources have changed since the last build.
 * @param {string} node the Node that runs the sources
 * @throws {SetupError} with the builder's output
 */
export async function prepareConsole(node) {
  if (consoleIsBuilt()) return;
  await withInstallLock(async () => {
    if (consoleIsBuilt()) return;
    say('Building the web console (a few seconds, after each change to it) …');
    const { ok, output } = await runQuietly(node, [join(root, 'apps/console/build.mjs')], { cwd: root });
    if (!ok)
      throw new SetupError(`The web console could not be built:\n${output.trim().split('\n').slice(-30).join('\n')}`);
  }, lockFolder('console'));
}
