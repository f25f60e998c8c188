import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The file under a name that says what it is: the library goes by names, and would hand others to programs that convert them. */
export async function stagePdf(source: string): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-pdf-'));
  const path = join(folder, 'file.pdf');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await symlink(resolve(source), path);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}
