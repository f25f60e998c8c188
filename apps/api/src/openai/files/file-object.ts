import { fileIdOf } from '@chorus/contract';
import type { AssetRecord, OpenAiFile } from '@chorus/database';
import { z } from 'zod';

export const PURPOSES = ['assistants', 'batch', 'user_data', 'vision'] as const;

const HOUR_S = 3_600;

/** When a file is deleted. */
export const expiresAfter = z.object({
  anchor: z.literal('created_at'),
  seconds: z.coerce
    .number()
    .int()
    .min(HOUR_S)
    .max(30 * 24 * HOUR_S),
});

export const fileObject = z.object({
  id: z.string().describe('`file-…`'),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int().describe('Unix seconds'),
  expires_at: z.int().optional().describe('Unix seconds. Absent: it is kept'),
  filename: z.string(),
  purpose: z.string(),
  status: z.literal('processed'),
});

/** An asset that is a file of OpenAI's API. */
export type FileAsset = AssetRecord & { file: OpenAiFile };

/** Returns whether an asset is a file that has not expired. */
export function isFile(asset: AssetRecord | null): asset is FileAsset {
  if (asset === null || asset.file === null) return false;
  const { expires_at } = asset.file;
  return expires_at === null || expires_at.getTime() > Date.now();
}

export function presentFile({ id, size_bytes, created_at, filename, file }: FileAsset): z.output<typeof fileObject> {
  return {
    id: fileIdOf(id),
    object: 'file',
    bytes: size_bytes,
    created_at: seconds(created_at),
    ...(file.expires_at && { expires_at: seconds(file.expires_at) }),
    filename: filename ?? fileIdOf(id),
    purpose: file.purpose,
    status: 'processed',
  };
}

/** Returns a time in Unix seconds. */
export const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
