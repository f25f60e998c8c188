import { ChorusError } from '@chorus/contract';
import { tooLong } from '../../collected-transcription.ts';
import { type LiveTranscription, MAX_LIVE_S, SPEECH_RATE, type Transcript } from '../../speech-port.ts';
import type { Urgency } from '../engine/engine-process.ts';
import { FRAME, loudnessOf, speechLevel } from './loudness.ts';
import { cutOf } from './stretches.ts';

/** @returns the words of a stretch */
export type Transcribe = (pcm16: Uint8Array, urgency: Urgency, signal: AbortSignal) => Promise<string>;

/** Written down so far again after so many frames of more speech, or a share of the stretch where that is more: each time costs as much as all of it. */
const AGAIN_FRAMES = 50;
const AGAIN_SHARE = 0.25;
/** After a pause of so many frames it may be the end: all is written down then, so that the end finds it ready. */
const PAUSE_FRAMES = 8;

/**
 * Speech is written down while it is spoken: again and again from the last cut on, and for good where it is cut in a pause. So the text is there soon after
 * the end, mostly before somebody knows that it was the end.
 */
export class EmbeddedLiveTranscription implements LiveTranscription {
  readonly partials: AsyncIterable<string>;
  readonly loaded: Promise<void>;
  readonly #transcribe: Transcribe;
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  readonly #makeTranscript: (text: string, bytes: number) => Transcript;
  /** Since the last cut, and of each of its frames the loudness. */
  #stretch = Buffer.alloc(SPEECH_RATE * 4);
  #length = 0;
  #loudness: number[] = [];
  #loudest = 0;
  #bytes = 0;
  /** Of what lies before the last cut. */
  #fixed: string[] = [];
  /** The words of the stretch's first frames, and how many those are. */
  #heard = { text: '', frames: 0 };
  #running: Promise<void> | null = null;
  /** What is asked now: its end, and the frames whose words it gives; it may give those of a stretch that is cut off. */
  #asked: { abort: AbortController; frames: number } | null = null;
  readonly #urgency: Urgency = { now: false };
  #shown = '';
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
    this.partials = this.#show();
  }

  push(pcm16: Uint8Array): void {
    if (this.#ended) return;
    this.#bytes += pcm16.length;
    if (this.#bytes > MAX_LIVE_S * SPEECH_RATE * 2) throw tooLong();
    this.#keep(pcm16);
    if (this.#running === null && this.#isDue()) this.#running = this.#listen();
  }

  async end(): Promise<Transcript> {
    if (this.#signal.aborted) throw this.#signal.reason;
    this.#urgency.now = true;
    try {
      // What would not give all the words is not waited for.
      if (this.#asked !== null && this.#unheard(this.#asked.frames) > 0) this.#asked.abort.abort();
      await this.#running;
      while (this.#unheard() > 0) await this.#hear();
      const text = this.#text();
      return this.#makeTranscript(text, this.#bytes);
    } finally {
      this.#finish();
    }
  }

  close(): void {
    this.#closed.abort(new ChorusError('cancelled', 'The transcription was closed'));
  }

  /** Frames behind what was heard, up to the last one that may be speech. */
  #unheard(heard = this.#heard.frames): number {
    const level = speechLevel(this.#loudest);
    const last = this.#loudness.findLastIndex((loudness) => loudness > level);
    return Math.max(0, last + 1 - heard);
  }

  #isDue(): boolean {
    const unheard = this.#unheard();
    if (unheard === 0) return false;
    const pause = this.#loudness.length - this.#heard.frames - unheard;
    return pause >= PAUSE_FRAMES || unheard >= Math.max(AGAIN_FRAMES, this.#loudness.length * AGAIN_SHARE);
  }

  /** Hears for as long as there is enough that is new. What fails is left to the end, which tells of it. */
  async #listen(): Promise<void> {
    try {
      while (!this.#urgency.now && this.#isDue()) await this.#hear();
    } catch {
      // tried again with the next sound, and at the end
    } finally {
      this.#running = null;
    }
  }

  async #hear(): Promise<void> {
    const frames = this.#loudness.length;
    const cut = cutOf(Float32Array.from(this.#loudness));
    const bytes = cut ?? frames * FRAME * 2;
    const abort = new AbortController();
    this.#asked = { abort, frames: cut === null ? frames : Number.POSITIVE_INFINITY };
    const signal = AbortSignal.any([this.#signal, abort.signal]);
    let text: string;
    try {
      text = await this.#transcribe(Uint8Array.from(this.#stretch.subarray(0, bytes)), this.#urgency, signal);
    } finally {
      this.#asked = null;
    }
    if (cut === null) this.#heard = { text, frames };
    else this.#cut(cut, text);
    this.#wake();
  }

  #cut(bytes: number, text: string): void {
    this.#fixed.push(text);
    this.#heard = { text: '', frames: 0 };
    this.#stretch.copyWithin(0, bytes, this.#length);
    this.#length -= bytes;
    this.#loudness.splice(0, bytes / 2 / FRAME);
  }

  #keep(pcm16: Uint8Array): void {
    const length = this.#length + pcm16.length;
    if (length > this.#stretch.length) {
      const larger = Buffer.alloc(Math.max(length, this.#stretch.length * 2));
      this.#stretch.copy(larger, 0, 0, this.#length);
      this.#stretch = larger;
    }
    this.#stretch.set(pcm16, this.#length);
    this.#length = length;
    const measured = this.#loudness.length * FRAME * 2;
    for (const loudness of loudnessOf(this.#stretch.subarray(measured, length))) {
      this.#loudness.push(loudness);
      this.#loudest = Math.max(this.#loudest, loudness);
    }
  }

  #text(): string {
    return [...this.#fixed, this.#heard.text].filter((text) => text !== '').join(' ');
  }

  async *#show(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const text = this.#text();
      if (text !== this.#shown) {
        this.#shown = text;
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
