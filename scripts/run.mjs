// Runs one task after the setup: `npm run soak`, `bench`, `fetch-models`, `screenshots`, or `check:…`.
import { setUpAndRun } from './setup/hand-over.mjs';
import { explainFailures } from './setup/setup-error.mjs';

const [task = '', ...args] = process.argv.slice(2);
await explainFailures(() =>
  task === 'fetch-models'
    ? setUpAndRun('scripts/fetch-models.ts', args, { needsRedis: false })
    : task === 'bench'
      ? setUpAndRun('test/bench/main.ts', args, { needsRedis: true, needsTools: true })
      : task === 'screenshots'
        ? setUpAndRun('scripts/screenshots/main.ts', args, { needsRedis: true, needsTools: true })
        : setUpAndRun('scripts/checks/main.ts', [task, ...args], { needsRedis: task === 'soak', needsTools: true }),
);
