import { stat } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract';
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
 * Puts the bytes where children find them, under a name that belongs to their type: libraries go by names.
 *
 * @throws ChorusError `unsupported_media_type`, `payload_too_large`
 */
export async function stageFile(source: string | Uint8Array, mimeType: string, maxBytes: number): Promise<StagedFile> {
  const type = READABLE_TYPES.find((known) => known === mimeType);
  if (type === undefined)
    throw new ChorusError(
      'unsupported_media_type',
      `Files of the type ${mimeType.slice(0, 100)} can not be read; ${Object.values(NAMES).join(', ')} can.`,
    );
  const size = typeof source === 'string' ? (await stat(source)).size : source.length;
  if (size > maxBytes)
    throw new ChorusError('payload_too_large', `The file has ${size} bytes; at most ${maxBytes} can be read.`);
  const { path, remove } = await lendFile(source, `file.${NAMES[type].toLowerCase()}`);
  return { file: { path, type, sizeBytes: size }, remove };
}
