import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the platform keeps there. */
const FOLDERS = ['run', 'logs', 'redis', 'store', 'blobs', 'index'];

/** Makes the data directory where it is missing. @returns why it can't be used; null: it can */
export function dataDirProblem(folder: string): string | null {
  try {
    makeFolder(folder);
    const probe = join(folder, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    for (const name of FOLDERS.map((one) => join(folder, one)))
      if (existsSync(name)) accessSync(name, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    return `DATA_DIR can't be written (${code} at ${path}): set it to a folder that this user may write`;
  }
}

/** Step by step: where a folder can't be made, Node's own `recursive` may try for good. */
function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const path of missing) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process was quicker.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw error;
    }
  }
}
