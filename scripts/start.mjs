// `npm start`: installs what is missing, then starts the whole platform on this machine.
import { setUpAndRun } from './setup/hand-over.mjs';
import { loadDotEnv } from './setup/load-dot-env.mjs';

loadDotEnv();
await setUpAndRun('scripts/supervisor/main.ts', process.argv.slice(2), { needsRedis: !process.env.REDIS_URL });
