import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, newId } from '@chorus/contract';
import type { LiveTranscription, Transcript } from '@chorus/providers';
import { durationMs } from '@chorus/speech';

/** Whoever writes down what was said may take so long after its end, or after being loaded, in milliseconds. */
const TRANSCRIBED_WITHIN_MS = 30_000;

/** Loading a model takes no longer, in milliseconds. */
const LOADED_WITHIN_MS = 120_000;

/** Something that is said, and written down while it is. */
export class Utterance {
  /** The item that it becomes: the message, too, if it opens a turn. */
  readonly id = newId('message');
  /** Where it begins in all that was heard, in milliseconds. */
  readonly startMs: number;
  /** When it was over, by `performance.now()`; before that: when it began. */
  endedAt = performance.now();
  readonly #transcription: LiveTranscription;
  #bytes = 0;
  #heard: Promise<Transcript> | null = null;
  #failure: unknown = null;

  /** @param onPartial gets all that is understood so far, whenever that changes */
  constructor(startMs: number, transcription: LiveTranscription, onPartial: (text: string) => void) {
    this.startMs = startMs;
    this.#transcription = transcription;
    void this.#tellPartials(onPartial);
  }

  hear(pcm: Uint8Array): void {
    this.#bytes += pcm.byteLength;
    try {
      this.#transcription.push(pcm);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** Milliseconds of its sound. */
  get lengthMs(): number {
    return durationMs({ byteLength: this.#bytes });
  }

  /**
   * It is over.
   *
   * @param silenceMs how long nobody has spoken
   */
  end(silenceMs: number): void {
    this.endedAt = performance.now() - silenceMs;
    this.#heard ??= this.#write();
    this.#heard.catch(() => undefined);
  }

  /** What was said, once it is over. @throws {ChorusError} what writing it down threw; `timeout` */
  get transcript(): Promise<Transcript> {
    this.end(0);
    return this.#heard as Promise<Transcript>;
  }

  /** Nobody wants to know. */
  drop(): void {
    this.#transcription.close();
  }

  async #write(): Promise<Transcript> {
    const late = new AbortController();
    try {
      if (this.#failure !== null) throw this.#failure;
      return await Promise.race([this.#transcription.end(), this.#late(late.signal)]);
    } finally {
      late.abort();
      this.#transcription.close();
    }
  }

  /** Throws when it has taken too long. */
  async #late(signal: AbortSignal): Promise<never> {
    await Promise.race([this.#transcription.loaded, pause(LOADED_WITHIN_MS, null, { signal })]);
    await pause(TRANSCRIBED_WITHIN_MS, null, { signal });
    throw new ChorusError('timeout', 'What was said could not be written down in time.');
  }

  async #tellPartials(onPartial: (text: string) => void): Promise<void> {
    for await (const text of this.#transcription.partials) onPartial(text);
  }
}

/** Nobody is there who could write it down: that is told at its end. */
export function notWritten(error: unknown): LiveTranscription {
  return {
    push: () => undefined,
    partials: (async function* () {})(),
    end: () => Promise.reject(error),
    close: () => undefined,
  };
}
