#!/usr/bin/env node
import { run } from './run.mjs';

// npm starts scripts in the repository, and names the folder from which it was called.
process.env.INIT_CWD ??= process.cwd();
await run('apps/cli/src/admin/main.ts', { needsRedis: false });
