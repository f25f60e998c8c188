import { stat } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract/errors';
import { lendFile } from '@chorus/sandbox';
import { READABLE_TYPES, type ReadableType } from './ocr.ts';
import type { FileToRead } from './page-tasks.ts';

const NAMES: Record<ReadableType, string> = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/tiff': 'TIFF',
  'image/webp': 'WebP',
};

export interface StagedFile {
  file: FileToRead;
  remove(): Promise<void>;
}

/**
 * Makes the bytes available to children, with a file extension by type, which libraries rely on.
 *
 * @throws {ChorusError} unsupported_media_type, payload_too_large
 */
export async function stageFile(source: string | Uint8Array, mimeType: string, maxBytes: number): Promise<StagedFile> {
  const type = READABLE_TYPES.find((known) => known === mimeType);
  if (type === undefined)
    throw new ChorusError(
      'unsupported_media_type',
      `Files of type ${mimeType.slice(0, 100)} are not supported. Use ${Object.values(NAMES).join(', ')}.`,
    );
  const size = typeof source === 'string' ? (await stat(source)).size : source.length;
  if (size > maxBytes)
    throw new ChorusError('payload_too_large', `The file has ${size} bytes; the limit is ${maxBytes} bytes.`);
  const { path, remove } = await lendFile(source, `file.${NAMES[type].toLowerCase()}`);
  return { file: { path, type, sizeBytes: size }, remove };
}
