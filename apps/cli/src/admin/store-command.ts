import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../command.ts';
import type { AdminContext } from './define-admin-command.ts';

export const STORE = fileURLToPath(new URL('../../../../packages/document-store/src/main.ts', import.meta.url));

/** A task for the document store's program, with one file. */
export interface StoreTask {
  option: '--backup' | '--restore';
  args: string[];
  /** Tool to suggest if the data is in MongoDB. */
  mongodbTool: string;
}

/** Runs the document store's program on the platform's data. Returns its exit code. */
export async function runStore(task: StoreTask, { from, dataDir, mongodbUri, output }: AdminContext): Promise<number> {
  const [file] = task.args;
  if (file === undefined || task.args.length > 1) throw new UsageError('Specify one file.');
  if (mongodbUri) {
    const why = 'MONGODB_URI is set: the data is in that MongoDB, not in the built-in store.';
    return output.failed('not_built_in', `${why} Use its own tool:\n  ${task.mongodbTool}`);
  }
  const args = [STORE, '--path', join(dataDir, 'store'), task.option, resolve(from, file)];
  const child = spawn(process.execPath, args, {
    stdio: ['inherit', output.json ? process.stderr : 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
