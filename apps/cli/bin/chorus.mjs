#!/usr/bin/env node
// Runs on Node 20 in plain JavaScript, then hands over to the Node version that the sources need.
import { setUpAndRun } from '../../../scripts/setup/hand-over.mjs';
import { loadDotEnv } from '../../../scripts/setup/load-dot-env.mjs';
import { explainFailures } from '../../../scripts/setup/setup-error.mjs';

// User paths are relative to this folder; the command itself runs in the repository's folder.
const from = process.cwd();

await explainFailures(async () => {
  loadDotEnv();
  await setUpAndRun('apps/cli/src/main.ts', [from, ...process.argv.slice(2)], { needsRedis: false });
});
