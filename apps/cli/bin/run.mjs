import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../../../', import.meta.url);

/**
 * Runs a program with the Node version that it needs, and installs what is missing. In the image, which has
 * everything, there is no setup.
 *
 * @param {string} source
 * @param {{ folder?: string, needsRedis: boolean }} needs
 */
export async function run(source, needs) {
  const setUp = new URL('scripts/setup/', root);
  if (!existsSync(setUp)) {
    if (needs.folder === undefined) process.chdir(fileURLToPath(root));
    await import(pathToFileURL(fileURLToPath(new URL(source, root))).href);
    return;
  }
  const { setUpAndRun } = await import(new URL('hand-over.mjs', setUp).href);
  const { loadDotEnv } = await import(new URL('load-dot-env.mjs', setUp).href);
  const { explainFailures } = await import(new URL('setup-error.mjs', setUp).href);
  await explainFailures(async () => {
    loadDotEnv();
    await setUpAndRun(source, process.argv.slice(2), needs);
  });
}
