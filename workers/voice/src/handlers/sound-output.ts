import type { SpeechFormat } from '@chorus/contract';
import { bytesOf, createSpeechEncoder, durationMs } from '@chorus/speech';

const SILENCE_MS = 200;

/** Audio to encode at once until the first bytes are sent. */
const FIRST_BYTES = bytesOf(100);

/** Largest audio event. A multiple of three, so that base64 chunks can be joined. */
const PIECE_BYTES = 16_383;

interface AudioDelta {
  type: 'audio.delta';
  index: number;
  offset: number;
  delta: string;
}

export interface SoundOutputParts {
  format: SpeechFormat;
  /** Place of the audio in the output. */
  index: number;
  /** Longer audio is cut. */
  longestMs: number;
  /** Receives the audio as it is encoded. Null: it is not streamed. */
  emit: ((event: AudioDelta) => Promise<void> | undefined) | null;
  /** Called for each chunk. */
  onSound?: () => void;
}

/** Encodes the audio of an execution, and emits it if requested. */
export class SoundOutput {
  readonly #parts: SoundOutputParts;
  readonly #encoder;
  #bytes = 0;
  #offset = 0;
  #cut = false;

  constructor(parts: SoundOutputParts) {
    this.#parts = parts;
    this.#encoder = createSpeechEncoder(parts.format);
  }

  /** Whether audio beyond the limit was dropped. */
  get isCut(): boolean {
    return this.#cut;
  }

  async hear(pcm: Uint8Array): Promise<void> {
    const room = bytesOf(this.#parts.longestMs) - this.#bytes;
    this.#cut ||= pcm.byteLength > room;
    const fitting = pcm.subarray(0, Math.max(0, room));
    if (fitting.byteLength === 0) return;
    this.#bytes += fitting.byteLength;
    this.#parts.onSound?.();
    let rest = fitting;
    // Encodes the beginning of a long piece first, so that it is heard early.
    for (; this.#offset === 0 && rest.byteLength > FIRST_BYTES; rest = rest.subarray(FIRST_BYTES))
      await this.#send(await this.#encoder.push(rest.subarray(0, FIRST_BYTES)));
    await this.#send(await this.#encoder.push(rest));
  }

  /** Returns the whole audio. */
  async end(): Promise<{ file: Uint8Array; durationMs: number; warnings: string[] }> {
    // Text without words, such as code, becomes a moment of silence: a file needs some audio.
    if (this.#bytes === 0) await this.hear(new Uint8Array(bytesOf(SILENCE_MS)));
    const { rest, file } = await this.#encoder.end();
    await this.#send(rest);
    const minutes = this.#parts.longestMs / 60_000;
    return {
      file,
      durationMs: Math.round(durationMs({ byteLength: this.#bytes })),
      warnings: this.#cut ? [`The audio ends after ${minutes} minutes; the text is complete.`] : [],
    };
  }

  /** Frees the encoder's resources, even without `end`. */
  close(): Promise<void> {
    return this.#encoder.close();
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { emit, index } = this.#parts;
    if (emit === null) return;
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const delta = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
      const offset = this.#offset;
      this.#offset += piece.byteLength;
      await emit({ type: 'audio.delta', index, offset, delta });
    }
  }
}
