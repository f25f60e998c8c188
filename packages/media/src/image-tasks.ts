import type { MediaProblem } from './media-error.ts';

/** The bytes of an image, or the path of its file. */
export type ImageInput = string | Uint8Array;

export interface ImageHeader {
  width: number;
  height: number;
  /** Decoding cost, in pixels of a PNG. */
  cost: number;
}

export interface ImageFacts {
  width: number;
  height: number;
  /** 16 hexadecimal digits; null without recognizable content. */
  perceptual_hash: string | null;
}

/** Operations on an image and their results. */
export interface ImageResults {
  header: ImageHeader;
  /** Null if the header is not in these bytes. */
  inspect: ImageFacts | null;
  probe: ImageFacts;
  thumbnail: Uint8Array;
  view: Uint8Array;
  enlarged: Uint8Array;
  hash: string | null;
}

export type ImageOperation = keyof ImageResults;

export interface ImageSettings {
  /** Priority of the process: large images yield to other work. */
  nice: number;
}

/** A task for a child process: one image, or two to compare. */
export type ImageTask = { input: ImageInput; maxPixels: number | undefined } & (
  | { operation: Exclude<ImageOperation, 'inspect' | 'enlarged'> }
  /** The image is also decoded if it is complete and within this cost. */
  | { operation: 'inspect'; complete: boolean; maxCost: number }
  | { operation: 'enlarged'; factor: number }
  | { operation: 'similarity'; other: ImageInput }
);

/** Problems of the file are returned, not thrown. */
export type ImageAnswer =
  | { result: ImageResults[ImageOperation] | number }
  | { problem: MediaProblem; message: string };

export const THUMBNAIL_TYPE = 'image/webp';
export const VIEW_TYPE = 'image/jpeg';
