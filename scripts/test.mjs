// `npm test`: installs what is missing, then runs every check and every test. Arguments go to vitest.
import { setUpAndRun } from './setup/hand-over.mjs';
import { explainFailures } from './setup/setup-error.mjs';

const args = ['test', ...process.argv.slice(2)];
await explainFailures(() =>
  setUpAndRun('scripts/checks/main.ts', args, { needsRedis: true, needsConsole: true, needsTools: true }),
);
