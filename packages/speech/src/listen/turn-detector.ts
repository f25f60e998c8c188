import type { TurnThresholds } from './turn-settings.ts';
import { FRAME_MS } from './voice-activity.ts';

/** Times in milliseconds from the beginning of the sound. */
export type TurnEvent =
  /** Somebody speaks since then: with the padding before it, so that a soft beginning belongs to it. */
  | { type: 'speech_started'; audio_start_ms: number }
  /** The turn is over: with the silence that ended it. */
  | { type: 'speech_stopped'; audio_end_ms: number };

/** So many frames in a row begin speech: a click is one. */
const FRAMES_TO_BEGIN = 3;

/** Speech goes on down to so much below the threshold. */
const HYSTERESIS = 0.15;

/** Finds out of how likely somebody speaks where turns begin and end. */
export class TurnDetector {
  #thresholds: TurnThresholds;
  /** Frames so far. */
  #frames: number;
  #loud = 0;
  /** Since which frame somebody speaks; null: nobody does. */
  #since: number | null = null;
  #speech = 0;
  #silence = 0;
  /** Before this frame nothing belongs to a turn that begins. */
  #earliest: number;

  /** @param fromMs where in the sound the first frame lies, in milliseconds */
  constructor(thresholds: TurnThresholds, fromMs = 0) {
    this.#thresholds = thresholds;
    this.#frames = Math.round(fromMs / FRAME_MS);
    this.#earliest = this.#frames;
  }

  /** They may change while somebody speaks. */
  set thresholds(thresholds: TurnThresholds) {
    this.#thresholds = thresholds;
  }

  get speaking(): boolean {
    return this.#since !== null;
  }

  /** How long somebody has spoken in this turn, without pauses, in milliseconds: what tells a cough from an interruption. */
  get speechMs(): number {
    return this.#speech * FRAME_MS;
  }

  /** How long nobody has spoken within this turn, in milliseconds. */
  get silenceMs(): number {
    return this.#silence * FRAME_MS;
  }

  /** Takes the next frame; answers what it has brought about. */
  push(probability: number): TurnEvent | null {
    this.#frames += 1;
    return this.#since === null ? this.#mayBegin(probability) : this.#mayEnd(probability);
  }

  /** Ends a turn from outside, such as when what was said is committed by hand. Null: nobody spoke. */
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
    // Between the two thresholds nobody begins and nobody ends.
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
