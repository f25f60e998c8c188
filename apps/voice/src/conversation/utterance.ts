import { ChorusError, newId } from '@chorus/contract';
import type { LiveTranscription, Transcript } from '@chorus/providers';
import { valueWithin, withTimeout } from '@chorus/runtime/timing';
import { durationMs } from '@chorus/speech';

/** Transcription time limit, from the end of the utterance or of loading the model. */
const TRANSCRIPTION_TIMEOUT_MS = 30_000;

const LOAD_TIMEOUT_MS = 120_000;

/** A span of speech, transcribed while it is spoken. */
export class Utterance {
  /** Id of the item, and of the message if it starts a turn. */
  readonly id = newId('message');
  /** Start within all audio received. */
  readonly startMs: number;
  /** When it ended, by `performance.now()`; until then, when it started. */
  endedAt = performance.now();
  readonly #transcription: LiveTranscription;
  #bytes = 0;
  #heard: Promise<Transcript> | null = null;
  #failure: unknown = null;

  /** @param onPartial receives the whole transcript so far whenever it changes */
  constructor(startMs: number, transcription: LiveTranscription, onPartial: (text: string) => void) {
    this.startMs = startMs;
    this.#transcription = transcription;
    void this.#reportPartials(onPartial);
  }

  append(pcm: Uint8Array): void {
    this.#bytes += pcm.byteLength;
    try {
      this.#transcription.push(pcm);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  get lengthMs(): number {
    return durationMs({ byteLength: this.#bytes });
  }

  /** @param silenceMs silence since the last speech */
  end(silenceMs: number): void {
    this.endedAt = performance.now() - silenceMs;
    this.#heard ??= this.#write();
    this.#heard.catch(() => undefined);
  }

  /** Resolves after `end`. @throws {ChorusError} from transcription; `timeout` */
  get transcript(): Promise<Transcript> {
    this.end(0);
    return this.#heard as Promise<Transcript>;
  }

  /** Cancels transcription. */
  cancel(): void {
    this.#transcription.close();
  }

  async #write(): Promise<Transcript> {
    try {
      if (this.#failure !== null) throw this.#failure;
      const transcript = this.#transcription.end();
      await valueWithin(Promise.race([transcript, this.#transcription.loaded]), LOAD_TIMEOUT_MS);
      return await withTimeout(transcript, TRANSCRIPTION_TIMEOUT_MS, () => {
        throw new ChorusError('timeout', 'The speech could not be transcribed in time.');
      });
    } finally {
      this.#transcription.close();
    }
  }

  async #reportPartials(onPartial: (text: string) => void): Promise<void> {
    for await (const text of this.#transcription.partials) onPartial(text);
  }
}

/** Returns a transcription that fails with this error at its end. */
export function failedTranscription(error: unknown): LiveTranscription {
  return {
    push: () => undefined,
    partials: (async function* () {})(),
    end: () => Promise.reject(error),
    close: () => undefined,
  };
}
