import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './command.ts';
import type { OwnSurroundings } from './own-command.ts';

/** The document store's own program. */
export const STORE = fileURLToPath(new URL('../../../packages/document-store/src/main.ts', import.meta.url));

/** What the store's own program is asked to do, with one file. */
export interface StoreTask {
  option: '--backup' | '--restore';
  args: string[];
  /** What to use instead where the data is in a MongoDB. */
  mongodbTool: string;
}

/** Runs the document store's program on the platform's data, in a process of its own as always. Answers its exit code. */
export async function runStore(
  task: StoreTask,
  { from, dataDir, mongodbUri, output }: OwnSurroundings,
): Promise<number> {
  const [file] = task.args;
  if (file === undefined || task.args.length > 1) throw new UsageError('Name one file.');
  if (mongodbUri) {
    const why = 'MONGODB_URI is set: the data is in that MongoDB, and not in the built-in store.';
    return output.failed('not_built_in', `${why} Use its own tool:\n  ${task.mongodbTool}`);
  }
  const args = [STORE, '--path', join(dataDir, 'store'), task.option, resolve(from, file)];
  // What it says is for people.
  const child = spawn(process.execPath, args, {
    stdio: ['inherit', output.json ? process.stderr : 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
