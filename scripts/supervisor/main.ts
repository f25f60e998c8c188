// The supervisor behind `npm start`: runs every process of the platform on this machine, and stops them together.
import { root } from '../setup/project.mjs';
import { configurationExitCode } from './process-definition.ts';
import { readSettings, SettingsError } from './settings.ts';
import { startPlatform } from './start-platform.ts';
import { Terminal } from './terminal.ts';

// `main.ts <folder>` runs another tree of the same shape.
const folder = process.argv[2] ?? root;
const showsAll = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');

try {
  const terminal = new Terminal(process.stdout, showsAll ? 'debug' : 'warn');
  process.exit(await startPlatform(folder, readSettings(process.env, folder), terminal));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exit(configurationExitCode);
}
