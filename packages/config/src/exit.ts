import { ConfigError } from './config-error.ts';

/** Exit status of a process whose configuration is wrong (EX_CONFIG of sysexits): starting it again can't help. */
const EX_CONFIG = 78;

/** Runs a process's main function; a wrong configuration is told in plain words instead of a stack. */
export async function exitOnConfigError(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.problems.map((problem) => `configuration: ${problem}`).join('\n')}\n`);
    process.exit(EX_CONFIG);
  }
}
