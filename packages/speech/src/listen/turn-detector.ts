import type { TurnThresholds } from './turn-settings.ts';
import { FRAME_MS } from './voice-activity.ts';

/** Times in milliseconds from the start of the sound. */
export type TurnEvent =
  /** Start of speech, minus padding for a soft beginning. */
  | { type: 'speech_started'; audio_start_ms: number }
  /** End of the turn, including the silence that ended it. */
  | { type: 'speech_stopped'; audio_end_ms: number };

/** Number of consecutive frames that start speech. A click is shorter. */
const FRAMES_TO_BEGIN = 3;

/** Speech continues down to this far below the threshold. */
const HYSTERESIS = 0.15;

export class TurnDetector {
  #thresholds: TurnThresholds;
  #frames: number;
  #loud = 0;
  /** First frame of speech. Null during silence. */
  #since: number | null = null;
  #speech = 0;
  #silence = 0;
  /** A turn cannot start before this frame. */
  #earliest: number;

  /** @param fromMs position of the first frame in the sound */
  constructor(thresholds: TurnThresholds, fromMs = 0) {
    this.#thresholds = thresholds;
    this.#frames = Math.round(fromMs / FRAME_MS);
    this.#earliest = this.#frames;
  }

  /** Can change during speech. */
  set thresholds(thresholds: TurnThresholds) {
    this.#thresholds = thresholds;
  }

  get speaking(): boolean {
    return this.#since !== null;
  }

  /** Speech in this turn without pauses, which distinguishes a cough from an interruption. */
  get speechMs(): number {
    return this.#speech * FRAME_MS;
  }

  /** Silence within this turn so far. */
  get silenceMs(): number {
    return this.#silence * FRAME_MS;
  }

  /** Processes a frame and returns the resulting event. */
  push(probability: number): TurnEvent | null {
    this.#frames += 1;
    return this.#since === null ? this.#mayBegin(probability) : this.#mayEnd(probability);
  }

  /** Ends a turn manually, for example on commit. Returns null without speech. */
  stop(): TurnEvent | null {
    return this.#since === null ? null : this.#end();
  }

  #mayBegin(probability: number): TurnEvent | null {
    this.#loud = probability >= this.#thresholds.threshold ? this.#loud + 1 : 0;
    if (this.#loud < FRAMES_TO_BEGIN) return null;
    const first = this.#frames - this.#loud;
    this.#since = first;
    this.#speech = this.#loud;
    this.#silence = 0;
    this.#loud = 0;
    const start = Math.max(this.#earliest * FRAME_MS, first * FRAME_MS - this.#thresholds.prefixMs);
    return { type: 'speech_started', audio_start_ms: Math.round(start) };
  }

  #mayEnd(probability: number): TurnEvent | null {
    if (probability >= this.#thresholds.threshold) {
      this.#silence = 0;
      this.#speech += 1;
      return null;
    }
    // Between the two thresholds, nothing starts or ends.
    if (probability < this.#thresholds.threshold - HYSTERESIS || this.#silence > 0) this.#silence += 1;
    return this.silenceMs >= this.#thresholds.silenceMs ? this.#end() : null;
  }

  #end(): TurnEvent {
    this.#since = null;
    this.#speech = 0;
    this.#silence = 0;
    this.#earliest = this.#frames;
    return { type: 'speech_stopped', audio_end_ms: Math.round(this.#frames * FRAME_MS) };
  }
}
