#!/usr/bin/env node
// `npx chorus <command>`: plain JavaScript for Node 20, which hands over to the Node that the sources need.
import { setUpAndRun } from '../../../scripts/setup/hand-over.mjs';
import { loadDotEnv } from '../../../scripts/setup/load-dot-env.mjs';
import { explainFailures } from '../../../scripts/setup/setup-error.mjs';

// Files that the user names are meant from here; what runs next runs in the repository's folder.
const from = process.cwd();

await explainFailures(async () => {
  loadDotEnv();
  await setUpAndRun('apps/cli/src/main.ts', [from, ...process.argv.slice(2)], { needsRedis: false });
});
