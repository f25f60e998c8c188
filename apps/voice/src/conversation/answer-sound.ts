import type { Providers } from '@chorus/providers';
import {
  type Clause,
  durationMs,
  findLanguageProblem,
  type Heard,
  PlayoutMap,
  SpokenAnswer,
  type SpokenNotice,
  spokenNotice,
} from '@chorus/speech';
import { MAX_WAIT_S } from './max-wait.ts';
import { type PacerParts, SoundPacer } from './sound-pacer.ts';

export interface Speaker {
  /** `provider/model` */
  model: string;
  /** Null selects the model's default voice. */
  voice: string | null;
  speed: number;
}

export interface AnswerSoundParts extends PacerParts {
  providers: Pick<Providers, 'streamSpeech' | 'costOfSpeech' | 'models' | 'voices'>;
  speaker: Speaker;
  executionId: string;
}

/** Speaks an answer clause by clause as it is written, and sends the audio at playback speed. */
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

  take(text: string): void {
    this.#spoken.take(text);
  }

  /** Says something that is not part of the answer. */
  say(notice: SpokenNotice, language: string | null): void {
    this.#spoken.say(spokenNotice(notice, language));
  }

  /** Returns a warning if the model cannot speak all of the text; null if it can. */
  findUnspoken(text: string): string | null {
    const { providers, speaker } = this.#parts;
    return findLanguageProblem(providers, speaker.model, text)?.message ?? null;
  }

  /** Resolves when all audio was sent or `stop` was called. @throws {ChorusError} from synthesis */
  async end(): Promise<void> {
    try {
      await this.#spoken.end();
      await this.#pacer.end();
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  /** Drops unsent audio and stops synthesis. */
  stop(): void {
    this.#pacer.drop();
    this.#stop.abort();
    void this.#spoken.stop();
  }

  /** Pauses sending and synthesis until `resume`. */
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

  /** Duration of audio sent but not yet played. */
  get aheadMs(): number {
    return this.#pacer.aheadMs;
  }

  heard(playedMs: number): Heard {
    return this.#map.heard(playedMs);
  }

  /** Cost of synthesis so far; null if the price is unknown. */
  get costUsd(): number | null {
    return this.#costUsd;
  }

  async *#speak({ text }: Clause, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { providers, speaker, executionId } = this.#parts;
    const { model, voice, speed } = speaker;
    const call = { model, text, ...(voice !== null && { voice }), ...(speed !== 1 && { speed }) };
    yield* providers.streamSpeech(call, { signal, executionId, maxWaitS: MAX_WAIT_S });
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
