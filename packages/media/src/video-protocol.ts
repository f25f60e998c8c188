/** What a process that looks into a video is told to do, and what it and its parent say to each other. */
export type VideoTask = 'probe' | 'poster';

export interface VideoFacts {
  /** Pixels as it is shown; null: there is no moving picture in it. */
  width: number | null;
  height: number | null;
  duration_ms: number | null;
}

/** Bytes `start` up to, and not with, `end`. */
export interface ReadRequest {
  type: 'read';
  id: number;
  start: number;
  end: number;
}

export type FromChild =
  | ReadRequest
  | { type: 'probed'; facts: VideoFacts }
  /** WebP. */
  | { type: 'poster'; poster: Uint8Array }
  /** It can't be read, or not decoded. */
  | { type: 'unreadable' };

export type ToChild =
  | { type: 'begin'; task: VideoTask; sizeBytes: number }
  | { type: 'bytes'; id: number; bytes: Uint8Array };
