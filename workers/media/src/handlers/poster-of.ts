import { open } from 'node:fs/promises';
import { makePoster, perceptualHash } from '@chorus/media';

/** Returns a video's first frame and its hash; both null if it cannot be decoded. */
export async function posterOf(
  path: string,
  owner: string,
): Promise<{ poster?: Uint8Array; perceptualHash: string | null }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const source = {
      sizeBytes: size,
      read: async (start: number, end: number) => {
        const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
        return buffer.subarray(0, bytesRead);
      },
    };
    const poster = await makePoster(source, owner);
    return poster === null
      ? { perceptualHash: null }
      : { poster, perceptualHash: await perceptualHash(poster, { owner }) };
  } finally {
    await file.close();
  }
}
