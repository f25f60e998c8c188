/** Messages between the child process for videos and its parent. */
export type VideoTask = 'probe' | 'poster';

export interface VideoFacts {
  /** Displayed size in pixels; null without a video track. */
  width: number | null;
  height: number | null;
  duration_ms: number | null;
}

/** Requests bytes from `start` to `end`, exclusive. */
export interface ReadRequest {
  type: 'read';
  id: number;
  start: number;
  end: number;
}

export type FromChild =
  | ReadRequest
  | { type: 'probed'; facts: VideoFacts }
  | { type: 'poster'; poster: Uint8Array }
  | { type: 'unreadable' };

export type ToChild =
  | { type: 'begin'; task: VideoTask; sizeBytes: number; ffmpeg: string | null }
  | { type: 'bytes'; id: number; bytes: Uint8Array };
