import { loadDataLocation, loadRunningConfig } from '@chorus/config';
import { runCli } from './run-cli.ts';

// The first argument is the folder from which the user calls; bin/chorus.mjs puts it there.
const [from = '.', ...args] = process.argv.slice(2);
process.exitCode = await runCli(args, { from, ...loadDataLocation(), running: loadRunningConfig });
