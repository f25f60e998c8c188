import type { Usage } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import { SPEECH_RATE, VOICE_LIMITS } from '@chorus/contract/names';
import type { Urgency } from '../engine/engine-process.ts';
import { doubtLanguage, type HeardSpeech, type LanguageDoubt } from './language-doubt.ts';
import { FRAME, isNoisy, loudnessOf, speechLevel } from './loudness.ts';
import { findCut } from './split-at-pauses.ts';

export interface Transcript {
  text: string;
  segments: { text: string; startSecond: number; endSecond: number }[];
  /** Always empty, since the models report no word times. */
  words: never[];
  language: string;
  /** Whether the speech may be in another language. */
  doubt?: LanguageDoubt;
  durationS: number;
  usage: Usage;
}

const MAX_S = VOICE_LIMITS.audioMs / 1_000;

export type Transcribe = (
  pcm16: Uint8Array,
  urgency: Urgency,
  signal: AbortSignal,
) => Promise<{ text: string; confidence: number }>;

/**
 * Transcribes again after this many frames, or this share of the section if that is more, since each time costs as
 * much as the whole section.
 */
const MIN_NEW_FRAMES = 50;
const MIN_NEW_SHARE = 0.25;
/** Transcribes after a pause of this many frames, since it may be the end. */
const PAUSE_FRAMES = 8;

/**
 * Transcribes speech as it arrives: repeatedly from the last cut, and once for each section that ends in a pause. The
 * text is usually ready before the end of speech is detected.
 */
export class EmbeddedLiveTranscription {
  readonly partials: AsyncIterable<string>;
  readonly loaded: Promise<void>;
  readonly #transcribe: Transcribe;
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  readonly #makeTranscript: (text: string, bytes: number) => Transcript;
  /** Sound since the last cut, and the loudness of each of its frames. */
  #section = Buffer.alloc(SPEECH_RATE * 4);
  #length = 0;
  #loudness: number[] = [];
  #loudest = 0;
  #bytes = 0;
  /** Speech before the last cut. */
  #final: HeardSpeech[] = [];
  /** The text of the section's first frames. */
  #transcribed = { text: '', confidence: 0, frames: 0, isNoisy: false };
  #running: Promise<void> | null = null;
  /** The running request and the frames it covers. Infinite if a cut section follows. */
  #request: { abort: AbortController; frames: number } | null = null;
  readonly #urgency: Urgency = { now: false };
  #lastPartial = '';
  #ended = false;
  #wake = () => {};

  constructor(
    transcribe: Transcribe,
    makeTranscript: (text: string, bytes: number) => Transcript,
    loaded: Promise<void>,
    signal: AbortSignal,
  ) {
    this.loaded = loaded;
    this.#transcribe = transcribe;
    this.#makeTranscript = makeTranscript;
    this.#signal = AbortSignal.any([signal, this.#closed.signal]);
    this.#signal.addEventListener('abort', () => this.#finish(), { once: true });
    this.partials = this.#streamPartials();
  }

  push(pcm16: Uint8Array): void {
    if (this.#ended) return;
    this.#bytes += pcm16.length;
    if (this.#bytes > MAX_S * SPEECH_RATE * 2)
      throw new ChorusError('payload_too_large', `Speech can be at most ${MAX_S} s long`);
    this.#append(pcm16);
    if (this.#running === null && this.#isDue()) this.#running = this.#transcribeWhileDue();
  }

  async end(): Promise<Transcript> {
    if (this.#signal.aborted) throw this.#signal.reason;
    this.#urgency.now = true;
    try {
      // Do not wait for a result that would lack the last words.
      if (this.#request !== null && this.#framesLeft(this.#request.frames) > 0) this.#request.abort.abort();
      await this.#running;
      while (this.#framesLeft() > 0) await this.#transcribeSection();
      const { frames, ...last } = this.#transcribed;
      const heard = [...this.#final, { ...last, seconds: (frames * FRAME) / SPEECH_RATE }];
      const doubt = doubtLanguage(heard.filter((section) => section.text !== ''));
      return { ...this.#makeTranscript(this.#text(), this.#bytes), ...(doubt !== null && { doubt }) };
    } finally {
      this.#finish();
    }
  }

  close(): void {
    this.#closed.abort(new ChorusError('cancelled', 'The transcription was closed'));
  }

  /** Counts frames after the transcribed ones, up to the last that may be speech. */
  #framesLeft(heard = this.#transcribed.frames): number {
    const level = speechLevel(this.#loudest);
    const last = this.#loudness.findLastIndex((loudness) => loudness > level);
    return Math.max(0, last + 1 - heard);
  }

  #isDue(): boolean {
    const unheard = this.#framesLeft();
    if (unheard === 0) return false;
    const pause = this.#loudness.length - this.#transcribed.frames - unheard;
    return pause >= PAUSE_FRAMES || unheard >= Math.max(MIN_NEW_FRAMES, this.#loudness.length * MIN_NEW_SHARE);
  }

  /** Transcribes while there is enough new speech. `end` reports failures. */
  async #transcribeWhileDue(): Promise<void> {
    try {
      while (!this.#urgency.now && this.#isDue()) await this.#transcribeSection();
    } catch {
      // retried with the next sound, and at the end
    } finally {
      this.#running = null;
    }
  }

  async #transcribeSection(): Promise<void> {
    const frames = this.#loudness.length;
    const cut = findCut(Float32Array.from(this.#loudness));
    const bytes = cut ?? frames * FRAME * 2;
    const abort = new AbortController();
    this.#request = { abort, frames: cut === null ? frames : Number.POSITIVE_INFINITY };
    const signal = AbortSignal.any([this.#signal, abort.signal]);
    let heard: Awaited<ReturnType<Transcribe>>;
    try {
      heard = await this.#transcribe(Uint8Array.from(this.#section.subarray(0, bytes)), this.#urgency, signal);
    } finally {
      this.#request = null;
    }
    if (cut === null) this.#transcribed = { ...heard, frames, isNoisy: isNoisy(this.#loudness) };
    else this.#cut(cut, heard);
    this.#wake();
  }

  #cut(bytes: number, { text, confidence }: { text: string; confidence: number }): void {
    this.#final.push({ text, confidence, seconds: bytes / 2 / SPEECH_RATE, isNoisy: isNoisy(this.#loudness) });
    this.#transcribed = { text: '', confidence: 0, frames: 0, isNoisy: false };
    this.#section.copyWithin(0, bytes, this.#length);
    this.#length -= bytes;
    this.#loudness.splice(0, bytes / 2 / FRAME);
  }

  #append(pcm16: Uint8Array): void {
    const length = this.#length + pcm16.length;
    if (length > this.#section.length) {
      const larger = Buffer.alloc(Math.max(length, this.#section.length * 2));
      this.#section.copy(larger, 0, 0, this.#length);
      this.#section = larger;
    }
    this.#section.set(pcm16, this.#length);
    this.#length = length;
    const measured = this.#loudness.length * FRAME * 2;
    for (const loudness of loudnessOf(this.#section.subarray(measured, length))) {
      this.#loudness.push(loudness);
      this.#loudest = Math.max(this.#loudest, loudness);
    }
  }

  #text(): string {
    return [...this.#final, this.#transcribed].flatMap(({ text }) => (text === '' ? [] : text)).join(' ');
  }

  async *#streamPartials(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const text = this.#text();
      if (text !== this.#lastPartial) {
        this.#lastPartial = text;
        yield text;
      } else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #finish(): void {
    this.#ended = true;
    this.#wake();
  }
}
