import { writeSync } from 'node:fs';

/**
 * Tells whoever started this process that it serves now: one JSON line to the file descriptor that CHORUS_READY_FD names.
 * Without that variable nothing happens, so a process that runs alone needs nothing.
 */
export function reportReady(info: Record<string, unknown> = {}): void {
  const descriptor = Number(process.env.CHORUS_READY_FD ?? '');
  if (!Number.isInteger(descriptor) || descriptor < 3) return;
  try {
    writeSync(descriptor, `${JSON.stringify({ ready: true, ...info })}\n`);
  } catch {
    // The starter has gone; serving goes on without it.
  }
}
