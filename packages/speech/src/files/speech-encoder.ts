import type { SpeechFormat } from '@chorus/contract';
import { ContainerEncoder } from './container-encoder.ts';
import { wavHeader } from './wav.ts';

/** Makes a format of sound while it comes. */
export interface SpeechEncoder {
  /** What can be given out of the stream now that these samples have come; may be empty. */
  push(pcm: Uint8Array): Promise<Uint8Array>;
  /** The rest of the stream, and all of the sound as a file, which may begin otherwise: there its length is known. Bare samples make a WAV file. */
  end(): Promise<{ rest: Uint8Array; file: Uint8Array }>;
}

export function createSpeechEncoder(format: SpeechFormat): SpeechEncoder {
  return format === 'wav' || format === 'pcm' ? new PlainEncoder(format) : new ContainerEncoder(format);
}

const NOTHING = new Uint8Array(0);

class PlainEncoder implements SpeechEncoder {
  readonly #pieces: Uint8Array[] = [];
  readonly #format: 'wav' | 'pcm';

  constructor(format: 'wav' | 'pcm') {
    this.#format = format;
  }

  async push(pcm: Uint8Array): Promise<Uint8Array> {
    const first = this.#pieces.length === 0;
    this.#pieces.push(pcm);
    return first && this.#format === 'wav' ? Buffer.concat([wavHeader(null), pcm]) : pcm;
  }

  async end(): Promise<{ rest: Uint8Array; file: Uint8Array }> {
    const sound = Buffer.concat(this.#pieces);
    return { rest: NOTHING, file: Buffer.concat([wavHeader(sound.length), sound]) };
  }
}
