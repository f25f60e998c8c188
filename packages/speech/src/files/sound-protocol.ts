/** Requests bytes from `start` to `end`, exclusive. */
export interface ReadRequest {
  type: 'read';
  id: number;
  start: number;
  end: number;
}

/** Why a file cannot be decoded. */
export type SoundProblem = 'unreadable' | 'no sound' | 'too long' | 'vorbis';

export type FromSoundChild =
  | ReadRequest
  /** The next samples. */
  | { type: 'pcm'; pcm: Uint8Array }
  | { type: 'end' }
  | { type: 'failed'; problem: SoundProblem };

export type ToSoundChild =
  | { type: 'begin'; sizeBytes: number; longestMs: number }
  | { type: 'bytes'; id: number; bytes: Uint8Array }
  /** One piece of samples was stored, so the child may send another. */
  | { type: 'stored' };

/** Maximum number of pieces in transit, each with a second of samples. */
export const MAX_UNSTORED = 16;
