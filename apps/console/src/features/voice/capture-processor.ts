import { loudness, toPcm16 } from './sound-format.ts';
import { worklet } from './worklet-scope.ts';

/** Samples of one piece: 40 ms. */
const PIECE = 960;

/** Gives what the microphone hears on in pieces, with how loud they are. */
class CaptureProcessor extends worklet.AudioWorkletProcessor {
  readonly #piece = new Float32Array(PIECE);
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    for (const sample of input?.[0] ?? []) {
      this.#piece[this.#filled++] = sample;
      if (this.#filled < PIECE) continue;
      this.#filled = 0;
      const pcm = toPcm16(this.#piece);
      this.port.postMessage({ pcm, level: loudness(this.#piece) }, [pcm.buffer]);
    }
    return true;
  }
}

worklet.registerProcessor('capture', CaptureProcessor);
