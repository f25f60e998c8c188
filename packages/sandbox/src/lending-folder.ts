import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | null = null;

/** The folder of lent files: it can be entered, not listed, so a file is known to those alone who were told its path. */
export function lendingFolder(): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'chorus-lent-'));
    chmodSync(made, 0o711);
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}
