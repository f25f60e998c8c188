import type { SpeechFormat } from '@chorus/contract';
import type { SpeechEncoder } from './container-encoder.ts';
import { ContainerEncoder } from './container-encoder.ts';
import { wavHeader } from './wav.ts';

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

  async close(): Promise<void> {}
}
