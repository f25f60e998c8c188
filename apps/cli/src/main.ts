import { loadClientSettings, loadDataLocation, loadRunningConfig } from '@chorus/config';
import { runCli } from './run-cli.ts';

// The first argument is the folder from which the user calls; bin/chorus.mjs puts it there.
const [from = '.', ...args] = process.argv.slice(2);
const surroundings = { from, ...loadDataLocation(), running: loadRunningConfig, client: loadClientSettings() };
process.exitCode = await runCli(args, surroundings);
