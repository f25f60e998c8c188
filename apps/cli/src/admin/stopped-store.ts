import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdminContext } from './define-admin-command.ts';
import { STORE } from './store-command.ts';

/**
 * Runs a task on the store of a stopped platform: the built-in store in its own process, or MONGODB_URI.
 * Returns the exit code.
 */
export async function withStoppedStore(
  { dataDir, mongodbUri, output }: AdminContext,
  act: (uri: string) => Promise<void>,
): Promise<number> {
  if (mongodbUri !== null) {
    await act(mongodbUri);
    return 0;
  }
  const path = join(dataDir, 'store');
  if (!existsSync(path)) return output.failed('not_found', `There is no store in ${dataDir}.`);
  const folder = await mkdtemp(join(tmpdir(), 'chorus-'));
  const socket = join(folder, 'store.sock');
  const child = spawn(process.execPath, [STORE, '--path', path, '--socket', socket, '--database', 'chorus'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    // The first line reports that it serves. If the platform is running, the process reports that and exits.
    const [ready] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [])]);
    if (ready === undefined) return output.failed('store_in_use', 'Stop the platform first.');
    await act(`mongodb://${encodeURIComponent(socket)}/chorus`);
    return 0;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}
