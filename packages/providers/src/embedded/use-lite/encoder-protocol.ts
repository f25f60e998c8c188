/** What the process that holds the sentence encoder is asked. */
export interface ToEncoder {
  id: number;
  texts: string[];
}

/** What it says: once that it is ready, then an answer for each thing that it was asked, in their order. */
export type FromEncoder =
  | { type: 'ready' }
  /** The vectors one behind the other. */
  | { type: 'encoded'; id: number; vectors: Float32Array; tokens: number };
