import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { MediaError, makePoster, makeThumbnail, perceptualHash, probeImage } from '@chorus/media';
import type { SourceFile } from '../source-file.ts';

/** The file to verify, with what can identify it. */
export interface Subject {
  owner: string;
  file: SourceFile;
  sha256: string;
  /** 16 hexadecimal digits; for a video, of its first frame. */
  perceptualHash: string | null;
  /** The file itself, or a video's first frame; null if there is none. */
  picture: string | Uint8Array | null;
  /** Returns a small copy of the picture, made on first use; null if there is none or it cannot be decoded. */
  thumbnail(): Promise<Uint8Array | null>;
  /** Why there is no hash or picture, for users. */
  unseen: string;
}

/** Measures the file. A damaged picture is not an error: `unseen` gives the reason. */
export async function subjectOf(file: SourceFile, owner: string, signal: AbortSignal): Promise<Subject> {
  const sha256 = file.asset?.sha256 ?? (await sha256Of(file.path, signal));
  const seen = await lookAt(file, owner);
  let thumbnail: Promise<Uint8Array | null> | undefined;
  return {
    owner,
    file,
    sha256,
    ...seen,
    thumbnail: () => {
      thumbnail ??= thumbnailOf(seen.picture, owner);
      return thumbnail;
    },
  };
}

async function thumbnailOf(picture: Subject['picture'], owner: string): Promise<Uint8Array | null> {
  if (picture === null) return null;
  try {
    return await makeThumbnail(picture, { owner });
  } catch (error) {
    if (error instanceof MediaError) return null;
    throw error;
  }
}

type Seen = Pick<Subject, 'perceptualHash' | 'picture' | 'unseen'>;

async function lookAt(file: SourceFile, owner: string): Promise<Seen> {
  try {
    if (file.kind === 'image') return await lookAtImage(file, owner);
    if (file.kind === 'video') return await lookAtVideo(file, owner);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    return { perceptualHash: null, picture: null, unseen: error.message };
  }
  return { perceptualHash: null, picture: null, unseen: 'It is neither an image nor a video.' };
}

const FEATURELESS = 'The picture has too few features to be compared, such as a single plain color.';

async function lookAtImage({ path, asset }: SourceFile, owner: string): Promise<Seen> {
  // Large uploads are not decoded on arrival.
  const known = asset?.perceptual_hash ?? (await probeImage(path, { owner })).perceptual_hash;
  return { perceptualHash: known, picture: path, unseen: FEATURELESS };
}

async function lookAtVideo({ path, sizeBytes }: SourceFile, owner: string): Promise<Seen> {
  const file = await open(path);
  try {
    const source = {
      sizeBytes,
      read: async (start: number, end: number) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
        return buffer.subarray(0, bytesRead);
      },
    };
    const poster = await makePoster(source, owner);
    const unseen = 'The first frame of the video cannot be decoded.';
    if (poster === null) return { perceptualHash: null, picture: null, unseen };
    return { perceptualHash: await perceptualHash(poster, { owner }), picture: poster, unseen: FEATURELESS };
  } finally {
    await file.close();
  }
}

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash, { signal });
  return hash.digest('hex');
}
