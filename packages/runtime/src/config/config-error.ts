/** Names invalid variables and the allowed values, but never their actual values. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Configuration: ${problems.join('; ')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Exit status for an invalid configuration (sysexits): a restart does not help. */
const EX_CONFIG = 78;

export async function exitOnConfigError(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.problems.map((problem) => `configuration: ${problem}`).join('\n')}\n`);
    process.exit(EX_CONFIG);
  }
}
