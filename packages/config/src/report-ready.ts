import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';

/**
 * Tells whoever started this process that it serves now: one JSON line to the file descriptor that CHORUS_READY_FD names.
 * Without that variable nobody is told, so a process that runs alone needs nothing.
 *
 * @returns whether somebody was told
 */
export function reportReady(info: Record<string, unknown> = {}): boolean {
  const told = tell(info);
  // Node writes what it compiled when a process ends in order: one that is killed would be as slow to start for ever.
  flushCompileCache();
  return told;
}

function tell(info: Record<string, unknown>): boolean {
  const descriptor = Number(process.env.CHORUS_READY_FD ?? '');
  if (!Number.isInteger(descriptor) || descriptor < 3) return false;
  try {
    writeSync(descriptor, `${JSON.stringify({ ready: true, ...info })}\n`);
    return true;
  } catch {
    return false; // The starter has gone; serving goes on without it.
  }
}
