// `npm test`: installs what is missing, then runs every check and every test. Arguments go to vitest.
import { setUpAndRun } from './setup/hand-over.mjs';

await setUpAndRun('scripts/checks/main.ts', ['test', ...process.argv.slice(2)], { needsRedis: true });
