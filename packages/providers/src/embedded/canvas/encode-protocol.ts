export interface VideoShape {
  path: string;
  width: number;
  height: number;
  fps: number;
  frames: number;
}

/** What the encoding thread is told; it answers each. */
export type ToEncoder =
  | { type: 'open'; shape: VideoShape }
  | { type: 'frame'; frame: number; planes: Uint8Array }
  | { type: 'close' };

export type FromEncoder = { type: 'done' } | { type: 'failed'; reason: string };
