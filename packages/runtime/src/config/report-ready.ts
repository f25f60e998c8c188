import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { releaseStartMemory } from '../memory/index.ts';

/**
 * Reports that this process is serving: one JSON line to the file descriptor CHORUS_READY_FD, if that is set.
 * @returns Whether it was reported.
 */
export function reportReady(info: Record<string, unknown> = {}): boolean {
  const reported = report(info);
  // Node only writes its compile cache at a normal exit. A killed process would always start slowly.
  flushCompileCache();
  // Collecting takes a quarter of a second of CPU, and more to compile again what it dropped. Tests have many starts.
  if (process.env.CHORUS_TEST_KEEP_MEMORY === undefined) releaseStartMemory();
  return reported;
}

function report(info: Record<string, unknown>): boolean {
  const descriptor = Number(process.env.CHORUS_READY_FD ?? '');
  if (!Number.isInteger(descriptor) || descriptor < 3) return false;
  try {
    writeSync(descriptor, `${JSON.stringify({ ready: true, ...info })}\n`);
    return true;
  } catch {
    return false; // the parent has exited
  }
}
