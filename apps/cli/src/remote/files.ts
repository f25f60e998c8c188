import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Asset, ChorusClient } from '@chorus/client';
import { UsageError } from '../command.ts';

/** A file as it is sent: it is read while it goes. */
export async function openFile(from: string, path: string): Promise<File> {
  const file = resolve(from, path);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new UsageError(`There is no file ${path}.`);
  return new File([await openAsBlob(file)], basename(file));
}

/** The content of an asset as a file, which appears when it is whole. */
export async function saveAsset(
  chorus: ChorusClient,
  { id }: Pick<Asset, 'id'>,
  file: string,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // Of a command that was killed the next one writes over what it left.
  const part = join(dirname(file), `.${basename(file)}.part`);
  try {
    const { body } = await chorus.assets.content(id, { signal });
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

/** How a file of this type is called at its end. */
export const extensionOf = ({ mime_type, filename }: Pick<Asset, 'mime_type' | 'filename'>): string =>
  EXTENSIONS[mime_type] ?? extname(filename ?? '');
