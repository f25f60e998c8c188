import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until a file or a folder is on the disk. */
export function synchronise(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
