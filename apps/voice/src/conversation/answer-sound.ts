import type { Providers } from '@chorus/providers';
import { type Clause, durationMs, type Heard, PlayoutMap, SpokenAnswer } from '@chorus/speech';
import { type PacerParts, SoundPacer } from './sound-pacer.ts';

/** Who speaks. */
export interface Speaker {
  /** `provider/model` */
  model: string;
  /** Null: the model's usual one. */
  voice: string | null;
  speed: number;
}

export interface AnswerSoundParts extends PacerParts {
  providers: Pick<Providers, 'streamSpeech' | 'costOfSpeech'>;
  speaker: Speaker;
  executionId: string;
}

/** The sound of one answer: spoken clause by clause while it is written, sent at the speed at which it is played. */
export class AnswerSound {
  readonly #parts: AnswerSoundParts;
  readonly #pacer: SoundPacer;
  readonly #map = new PlayoutMap();
  readonly #spoken: SpokenAnswer;
  readonly #stop = new AbortController();
  #clause: Clause | null = null;
  #costUsd: number | null = 0;

  constructor(parts: AnswerSoundParts) {
    this.#parts = parts;
    this.#pacer = new SoundPacer(parts);
    this.#spoken = new SpokenAnswer({
      speak: (clause, signal) => this.#speak(clause, signal),
      hear: (pcm, clause) => this.#hear(pcm, clause),
      whole: () => this.#map.end(),
      signal: this.#stop.signal,
    });
  }

  /** More of the text. */
  take(text: string): void {
    this.#spoken.take(text);
  }

  /** The text is complete: resolves when all of it was spoken and sent, or `stop` was called. @throws {ChorusError} what speaking threw */
  async end(): Promise<void> {
    try {
      await this.#spoken.end();
      await this.#pacer.end();
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  /** What was not sent is never heard, and nothing more is made. */
  stop(): void {
    this.#pacer.drop();
    this.#stop.abort();
    void this.#spoken.stop();
  }

  /** Nothing is sent, and nothing more is begun to be spoken, until `resume`. */
  pause(): void {
    this.#pacer.pause();
    this.#spoken.pause();
  }

  resume(): void {
    this.#spoken.resume();
    this.#pacer.resume();
  }

  get sentMs(): number {
    return this.#pacer.sentMs;
  }

  get playedMs(): number {
    return this.#pacer.playedMs;
  }

  /** How long what was sent is still played, in milliseconds. */
  get aheadMs(): number {
    return this.#pacer.aheadMs;
  }

  /** What of the text was heard when so much was played. */
  heard(playedMs: number): Heard {
    return this.#map.heard(playedMs);
  }

  /** What speaking has cost so far, in USD; null: the price is not known. */
  get costUsd(): number | null {
    return this.#costUsd;
  }

  async *#speak({ text }: Clause, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { providers, speaker, executionId } = this.#parts;
    const { model, voice, speed } = speaker;
    const call = { model, text, ...(voice !== null && { voice }), ...(speed !== 1 && { speed }) };
    yield* providers.streamSpeech(call, { signal, executionId });
    const cost = providers.costOfSpeech(call);
    this.#costUsd = this.#costUsd === null || cost === null ? null : this.#costUsd + cost;
  }

  #hear(pcm: Uint8Array, clause: Clause): Promise<void> {
    if (clause !== this.#clause) this.#map.begin(clause);
    this.#clause = clause;
    this.#map.add(durationMs(pcm));
    return this.#pacer.push(pcm);
  }
}
