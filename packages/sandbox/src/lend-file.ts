import { randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { chmod, chown, copyFile, mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BoundedChild } from './bounded-child.ts';
import { lendingFolder } from './lending-folder.ts';
import { currentProtection } from './protection.ts';

export type LendSource = string | Uint8Array | Readable;

export interface LentFile {
  path: string;
  remove(): Promise<void>;
}

/**
 * Makes a file or bytes readable for a child, which may have another user id.
 * @param name Name of the copy, since libraries rely on file extensions.
 */
export async function lendFile(source: LendSource, name: string): Promise<LentFile> {
  const own = join(lendingFolder(), randomUUID());
  const path = join(own, name);
  const remove = () => rm(own, { recursive: true, force: true });
  try {
    await mkdir(own);
    await chmod(own, 0o711); // regardless of the umask
    if (typeof source === 'string' && !currentProtection().ownUser) await symlink(resolve(source), path);
    else {
      if (typeof source === 'string') await copyFile(source, path, constants.COPYFILE_FICLONE);
      else await writeFile(path, source);
      await chmod(path, 0o444);
    }
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export interface LentFolder {
  path: string;
  take(name: string, target: string): Promise<void>;
  remove(): Promise<void>;
}

export async function lendFolder({ uid }: Pick<BoundedChild, 'uid'>): Promise<LentFolder> {
  const path = join(lendingFolder(), randomUUID());
  await mkdir(path, { mode: 0o700 });
  if (uid !== null) await chown(path, uid, uid);
  return {
    path,
    take: async (name, target) => {
      // The child may have created a link to one of our files.
      const file = await open(join(path, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) throw new Error('the child did not write a regular file');
        await pipeline(file.createReadStream({ autoClose: false }), createWriteStream(target, { mode: 0o600 }));
      } finally {
        await file.close();
      }
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
