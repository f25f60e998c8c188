import type { MediaProblem } from './media-error.ts';

/** A picture's bytes, or the path of its file. */
export type ImageInput = string | Uint8Array;

export interface ImageHeader {
  /** Pixels of the picture as it is looked at: turned by what its camera noted. */
  width: number;
  height: number;
  /** What decoding it costs, in pixels of a PNG. */
  cost: number;
}

export interface ImageFacts {
  width: number;
  height: number;
  /** 16 hexadecimal digits; null where the picture shows nothing to know it by. */
  perceptual_hash: string | null;
}

/** What is done with one picture, and what it gives. */
export interface ImageResults {
  header: ImageHeader;
  /** Null: the header does not lie in these bytes. */
  inspect: ImageFacts | null;
  probe: ImageFacts;
  thumbnail: Uint8Array;
  view: Uint8Array;
  hash: string | null;
}

export type ImageOperation = keyof ImageResults;

export interface ImageSettings {
  /** Large pictures come after all else that computes. */
  nice: number;
}

/** For a child: one picture, or two to compare. */
export type ImageTask = { input: ImageInput; maxPixels: number | undefined } & (
  | { operation: Exclude<ImageOperation, 'inspect'> }
  /** A picture is decoded too if these bytes are all and it costs no more than this. */
  | { operation: 'inspect'; complete: boolean; maxCost: number }
  | { operation: 'likeness'; other: ImageInput }
);

/** A mistake of the file's comes back as a problem. */
export type ImageAnswer =
  | { result: ImageResults[ImageOperation] | number }
  | { problem: MediaProblem; message: string };

export const THUMBNAIL_TYPE = 'image/webp';
export const VIEW_TYPE = 'image/jpeg';
