// `npm start`: installs what is missing, then starts the platform on this machine.
import { setUpAndRun } from './setup/hand-over.mjs';
import { loadDotEnv } from './setup/load-dot-env.mjs';
import { explainFailures } from './setup/setup-error.mjs';

await explainFailures(async () => {
  loadDotEnv();
  const needs = { needsRedis: !process.env.REDIS_URL, needsConsole: true };
  await setUpAndRun('scripts/supervisor/main.ts', [], needs);
});
