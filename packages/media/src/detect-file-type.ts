import { open } from 'node:fs/promises';
import { detectType, HEAD_BYTES } from './detect-type.ts';
import type { MediaType } from './media-types.ts';
import { dependsOnEnd, refineType } from './refine-type.ts';

/** Detects the type of a local file from its first bytes, and from its last ones if those are decisive. */
export async function detectFileType(path: string): Promise<MediaType> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (at: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, at);
      return buffer.subarray(0, bytesRead);
    };
    const type = await detectType(await read(0), size <= HEAD_BYTES);
    return dependsOnEnd(type) ? refineType(type, await read(Math.max(0, size - HEAD_BYTES)), size) : type;
  } finally {
    await file.close();
  }
}
