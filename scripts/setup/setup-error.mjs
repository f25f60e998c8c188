/** A set-up step that failed for a reason that the user can mend: shown as its message alone, without a stack. */
export class SetupError extends Error {}

/**
 * Runs one of the entry scripts; a SetupError becomes its message and the exit code 1.
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
