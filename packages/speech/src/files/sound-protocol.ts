/** Bytes `start` up to, and not with, `end`. */
export interface ReadRequest {
  type: 'read';
  id: number;
  start: number;
  end: number;
}

/** Why a file gives no sound. */
export type SoundProblem = 'unreadable' | 'no sound' | 'too long';

export type FromSoundChild =
  | ReadRequest
  /** The next samples. */
  | { type: 'pcm'; pcm: Uint8Array }
  | { type: 'end' }
  | { type: 'failed'; problem: SoundProblem };

export type ToSoundChild =
  | { type: 'begin'; sizeBytes: number; longestMs: number }
  | { type: 'bytes'; id: number; bytes: Uint8Array };
