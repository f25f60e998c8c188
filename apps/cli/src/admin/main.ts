import { loadDataLocation, loadRunningConfig } from '@chorus/runtime/config';
import { exitOnClosedPipe } from '../exit-on-closed-pipe.ts';
import { runProgram } from '../run-program.ts';
import { ADMIN } from './index.ts';

exitOnClosedPipe();
// Set by npm: the folder from which the user calls.
const from = process.env.INIT_CWD ?? process.cwd();
const context = () => ({ from, ...loadDataLocation(), running: () => loadRunningConfig() });
process.exitCode = await runProgram(ADMIN, process.argv.slice(2), context);
