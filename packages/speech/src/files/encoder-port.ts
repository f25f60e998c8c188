/** Makes a format of sound while it comes. */
export interface SpeechEncoder {
  /** What can be given out of the stream now that these samples have come; may be empty. */
  push(pcm: Uint8Array): Promise<Uint8Array>;
  /** The rest of the stream, and all of the sound as a file, which may begin otherwise: there its length is known. Bare samples make a WAV file. */
  end(): Promise<{ rest: Uint8Array; file: Uint8Array }>;
}
