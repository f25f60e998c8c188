import { type Usage, VOICE_LIMITS, type voiceTurn } from '@chorus/contract';
import { sumUsage } from '@chorus/executions';
import { bytesOf, type Clause, createSpeechEncoder, durationMs, SpokenAnswer } from '@chorus/speech';
import type { JobContext } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

const LONGEST_MS = VOICE_LIMITS.spokenMs;

const SILENCE_MS = 200;

/** Largest audio event. A multiple of three, so that base64 chunks can be joined. */
const PIECE_BYTES = 16_383;

type Job = Pick<JobContext<typeof voiceTurn.kind>, 'input' | 'owner' | 'executionId' | 'signal' | 'emit'>;

/** Speaks an answer in the requested format, and emits the audio if requested. */
export class AnswerVoice {
  readonly #job: Job;
  readonly #index: number;
  readonly #onSound: () => void;
  readonly #encoder;
  readonly #spoken: SpokenAnswer;
  #bytes = 0;
  #offset = 0;
  #cut = false;
  #usage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };

  /**
   * @param index place of the audio in the output
   * @param onSound called for each chunk
   */
  constructor(providers: VoiceParts['providers'], job: Job, index: number, onSound: () => void) {
    this.#job = job;
    this.#onSound = onSound;
    this.#index = index;
    this.#encoder = createSpeechEncoder(job.input.speech.format);
    this.#spoken = new SpokenAnswer({
      speak: (clause, signal) => this.#speak(providers, clause, signal),
      hear: (pcm) => this.#hear(pcm),
      signal: job.signal,
    });
  }

  take(text: string): void {
    this.#spoken.take(text);
  }

  /** Usage of synthesis so far. */
  get usage(): Usage {
    return this.#usage;
  }

  stop(): Promise<void> {
    return this.#spoken.stop();
  }

  /** Returns the whole audio, once all text was added. */
  async end(): Promise<{ file: Uint8Array; durationMs: number; warnings: string[] }> {
    await this.#spoken.end();
    // An answer without words, such as code, becomes a moment of silence: a file needs some audio.
    if (this.#bytes === 0) await this.#hear(new Uint8Array(bytesOf(SILENCE_MS)));
    const { rest, file } = await this.#encoder.end();
    await this.#tell(rest);
    return {
      file,
      durationMs: Math.round(durationMs({ byteLength: this.#bytes })),
      warnings: this.#cut ? [`The audio ends after ${LONGEST_MS / 60_000} minutes; the text is complete.`] : [],
    };
  }

  async *#speak(providers: VoiceParts['providers'], { text }: Clause, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    // Speech beyond the limit is not synthesized, which would cost.
    if (this.#cut) return;
    const { executionId, input, owner } = this.#job;
    const { model, voice } = input.speech;
    const call = { model, text, ...(voice !== null && { voice }) };
    yield* providers.streamSpeech(call, { signal, executionId, user: owner.user_id });
    const cost_usd = providers.costOfSpeech(call);
    this.#usage = sumUsage(this.#usage, { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd });
  }

  async #hear(pcm: Uint8Array): Promise<void> {
    const room = bytesOf(LONGEST_MS) - this.#bytes;
    this.#cut ||= pcm.byteLength > room;
    const fitting = pcm.subarray(0, Math.max(0, room));
    if (fitting.byteLength === 0) return;
    this.#bytes += fitting.byteLength;
    this.#onSound();
    await this.#tell(await this.#encoder.push(fitting));
  }

  async #tell(bytes: Uint8Array): Promise<void> {
    if (!this.#job.input.speech.stream) return;
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const delta = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
      const event = { type: 'audio.delta', index: this.#index, offset: this.#offset, delta } as const;
      this.#offset += piece.byteLength;
      await this.#job.emit(event);
    }
  }
}
