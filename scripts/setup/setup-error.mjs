/** A setup failure that the user can fix. Only its message is shown. */
export class SetupError extends Error {}

/**
 * Runs an entry script; prints a SetupError's message and exits with 1.
 * @param {() => Promise<void>} work
 */
export async function explainFailures(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
