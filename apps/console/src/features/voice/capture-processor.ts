import { loudness, toPcm16 } from '../../audio/pcm.ts';
import { worklet } from './worklet-scope.ts';

/** 40 ms at 24 kHz. */
const CHUNK_SAMPLES = 960;

/** Sends microphone audio in chunks, with their loudness. */
class CaptureProcessor extends worklet.AudioWorkletProcessor {
  readonly #piece = new Float32Array(CHUNK_SAMPLES);
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    for (const sample of input?.[0] ?? []) {
      this.#piece[this.#filled++] = sample;
      if (this.#filled < CHUNK_SAMPLES) continue;
      this.#filled = 0;
      const pcm = toPcm16(this.#piece);
      this.port.postMessage({ pcm, level: loudness(this.#piece) }, [pcm.buffer]);
    }
    return true;
  }
}

worklet.registerProcessor('capture', CaptureProcessor);
