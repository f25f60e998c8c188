import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Asset, ChorusClient } from '@chorus/client';
import { UsageError } from '../command.ts';

export async function openFile(from: string, path: string): Promise<File> {
  const file = resolve(from, path);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new UsageError(`File not found: ${path}.`);
  return new File([await openAsBlob(file)], basename(file));
}

export interface SaveOptions {
  /** Overwrites an existing file. */
  force: boolean;
  signal?: AbortSignal | undefined;
}

/** Refuses an existing file, before anything is generated for it. @throws {UsageError} */
export async function assertNew(file: string, force: boolean): Promise<void> {
  const exists =
    !force &&
    (await stat(file).then(
      (found) => !found.isDirectory(),
      () => false,
    ));
  if (exists) throw new UsageError(`${file} exists. Use --force to overwrite it.`);
}

/** Saves an asset; the file appears only when complete. @throws {UsageError} if it exists */
export async function saveAsset(
  chorus: ChorusClient,
  { id }: Pick<Asset, 'id'>,
  file: string,
  { force, signal }: SaveOptions,
): Promise<void> {
  const open = async () => (await chorus.assets.content(id, { signal })).body;
  await saveBody(open, file, { force, signal });
}

/** Saves the body of a response; the file appears only when complete. @throws {UsageError} if it exists */
export async function saveBody(
  open: () => Promise<Response['body']>,
  file: string,
  { force, signal }: SaveOptions,
): Promise<void> {
  await assertNew(file, force);
  await mkdir(dirname(file), { recursive: true });
  // The next command overwrites the leftovers of a killed one.
  const part = join(dirname(file), `.${basename(file)}.part`);
  try {
    const body = await open();
    await pipeline(
      body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream),
      createWriteStream(part),
      { signal },
    );
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

const EXTENSIONS: Record<string, string> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'audio/wav': '.wav',
  'audio/aac': '.aac',
  'audio/flac': '.flac',
  'application/json': '.json',
};

export const extensionOf = ({ mime_type, filename }: Pick<Asset, 'mime_type' | 'filename'>): string =>
  EXTENSIONS[mime_type] ?? extname(filename ?? '');
