import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SettingsError } from './settings.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/config/src/settings-main.ts', import.meta.url));

/** Names of the variables that each process gets. */
export type ProcessVariables = Readonly<Record<string, readonly string[]>>;

/**
 * Checks every setting before anything is started, in a process that ends with its answer.
 * @param dataDir absolute
 * @throws {SettingsError} that names all that is wrong
 */
export async function checkSettings(dataDir: string): Promise<ProcessVariables> {
  const env = { ...process.env, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env });
  const { problems, variables } = JSON.parse(stdout) as { problems: string[]; variables: ProcessVariables };
  if (problems.length === 0) return variables;
  const lines = problems.map((problem) => `  ${problem}.`);
  throw new SettingsError(["Chorus can't run with these settings:", ...lines].join('\n'));
}
