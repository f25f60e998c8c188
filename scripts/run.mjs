// `npm run soak`, `npm run bench`, `npm run check:…`: the same set-up, then one task.
import { setUpAndRun } from './setup/hand-over.mjs';

const [task = '', ...args] = process.argv.slice(2);
if (task === 'bench') await setUpAndRun('test/bench/main.ts', args, { needsRedis: true });
else await setUpAndRun('scripts/checks/main.ts', [task, ...args], { needsRedis: task === 'soak' });
