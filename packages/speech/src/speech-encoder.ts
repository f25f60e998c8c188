import type { SpeechFormat } from '@chorus/contract';
import { wavHeader } from './wav.ts';

/** Makes a format of sound while it comes. */
export interface SpeechEncoder {
  /** What can be given out of the stream now that these samples have come; may be empty. */
  push(pcm: Uint8Array): Promise<Uint8Array>;
  /** The rest of the stream, and all of the sound as a file, which may begin otherwise: there its length is known. Bare samples make a WAV file. */
  end(): Promise<{ rest: Uint8Array; file: Uint8Array }>;
}

const NOTHING = new Uint8Array(0);

export function createSpeechEncoder(format: SpeechFormat): SpeechEncoder {
  const pieces: Uint8Array[] = [];
  return {
    async push(pcm) {
      const first = pieces.length === 0;
      pieces.push(pcm);
      return first && format === 'wav' ? Buffer.concat([wavHeader(null), pcm]) : pcm;
    },
    async end() {
      const sound = Buffer.concat(pieces);
      return { rest: NOTHING, file: Buffer.concat([wavHeader(sound.length), sound]) };
    },
  };
}
