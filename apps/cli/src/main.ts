import { clientSettings } from './commands/client-settings.ts';
import { CHORUS } from './commands/index.ts';
import { exitOnClosedPipe } from './exit-on-closed-pipe.ts';
import { runProgram } from './run-program.ts';

exitOnClosedPipe();
const context = () => ({ from: process.cwd(), client: clientSettings(process.env) });
process.exitCode = await runProgram(CHORUS, process.argv.slice(2), context);
