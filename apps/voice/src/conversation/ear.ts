import { REALTIME_LIMITS, type TurnDetection } from '@chorus/contract';
import type { LiveTranscription } from '@chorus/providers';
import { bytesOf, durationMs, FRAME_MS, TurnDetector, thresholdsOf, type VoiceActivity } from '@chorus/speech';
import { RecentSound } from './recent-sound.ts';
import { Utterance } from './utterance.ts';

export interface EarParts {
  /** Begins to write something down. */
  transcribe(): LiveTranscription;
  /** What tells speech from other sounds; loaded at first need. */
  openActivity(): Promise<VoiceActivity>;
  /** Somebody speaks. */
  onSpeech(utterance: Utterance): void;
  /** They have spoken for so long, without pauses, in milliseconds. */
  onMore(utterance: Utterance, speechMs: number): void;
  /** They have stopped. */
  onSilence(utterance: Utterance, endMs: number): void;
  /** So much of it is understood by now. */
  onPartial(utterance: Utterance, text: string): void;
  /** It can't listen any more. */
  onDeaf(error: unknown): void;
}

const FRAME_BYTES = bytesOf(FRAME_MS);

/** Sound before speech that may belong to it: as much as one may ask for. */
const KEPT_BYTES = bytesOf(5_000);

/** What comes at once, such as a file, is looked at in pieces: the others of the process are heard in between. */
const PIECE_BYTES = bytesOf(1_000);

/** Hears the sound of one socket: finds what is said in it, or takes it as one whole until the client says that it is over. */
export class Ear {
  readonly #parts: EarParts;
  #detection: TurnDetection | null;
  #activity: Promise<VoiceActivity> | null = null;
  #detector: TurnDetector | null = null;
  /** What is said now; null: nothing. */
  #utterance: Utterance | null = null;
  /** Sound that may still belong to something. */
  readonly #kept = new RecentSound();
  /** What was looked at, in bytes. */
  #judged = 0;
  /** What came, in bytes. */
  #come = 0;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: EarParts, detection: TurnDetection | null) {
    this.#parts = parts;
    this.#detection = detection;
  }

  /** Whether somebody speaks now, or an utterance waits to be committed. */
  get utterance(): Utterance | null {
    return this.#utterance;
  }

  /** Milliseconds of all sound that came. */
  get nowMs(): number {
    return durationMs({ byteLength: this.#come });
  }

  /** How the end of a turn is found from now on; null: the client tells. */
  set detection(detection: TurnDetection | null) {
    if ((detection === null) !== (this.#detection === null)) this.clear();
    this.#detection = detection;
    if (detection !== null && this.#detector !== null) this.#detector.thresholds = thresholdsOf(detection, null);
  }

  /** More sound. @returns whether there was room for it */
  hear(pcm: Uint8Array): boolean {
    if (this.#closed) return true;
    if (this.#detection === null) return this.#hearByHand(pcm);
    this.#come += pcm.byteLength;
    for (let at = 0; at < pcm.byteLength; at += PIECE_BYTES) {
      const piece = pcm.subarray(at, at + PIECE_BYTES);
      this.#working = this.#working.then(() => this.#judge(piece)).catch((error: unknown) => this.#fail(error));
    }
    return true;
  }

  /** What is said now is over; null: nothing is. */
  commit(): Utterance | null {
    const utterance = this.#utterance;
    this.#utterance = null;
    this.#detector?.stop();
    utterance?.end(0);
    return utterance;
  }

  /** Forgets what is said now, and answers it. */
  clear(): Utterance | null {
    const utterance = this.#utterance;
    this.#utterance = null;
    this.#detector?.stop();
    utterance?.drop();
    return utterance;
  }

  close(): void {
    this.#closed = true;
    this.clear();
  }

  #hearByHand(pcm: Uint8Array): boolean {
    if ((this.#utterance?.lengthMs ?? 0) + durationMs(pcm) > REALTIME_LIMITS.bufferMs) return false;
    this.#utterance ??= this.#begin(this.#come);
    this.#utterance.hear(pcm);
    this.#come += pcm.byteLength;
    this.#judged = this.#come;
    this.#kept.restart(this.#come);
    return true;
  }

  async #judge(pcm: Uint8Array): Promise<void> {
    const detection = this.#detection;
    if (this.#closed || detection === null) return;
    this.#activity ??= this.#parts.openActivity();
    this.#detector ??= new TurnDetector(thresholdsOf(detection, null), durationMs({ byteLength: this.#judged }));
    this.#kept.append(pcm);
    const probabilities = await (await this.#activity).push(pcm);
    if (this.#closed) return;
    for (const probability of probabilities) this.#frame(this.#detector, probability);
    this.#kept.forget(this.#judged - (this.#utterance === null ? KEPT_BYTES : 0));
  }

  #frame(detector: TurnDetector, probability: number): void {
    const from = this.#judged;
    this.#judged += FRAME_BYTES;
    const { silenceMs } = detector;
    const event = detector.push(probability);
    if (event?.type === 'speech_started') {
      const start = Math.max(this.#kept.from, bytesOf(event.audio_start_ms));
      this.#utterance = this.#begin(start);
      this.#utterance.hear(this.#kept.read(start, this.#judged));
      this.#parts.onSpeech(this.#utterance);
      return;
    }
    const utterance = this.#utterance;
    if (utterance === null) return;
    utterance.hear(this.#kept.read(from, this.#judged));
    if (event === null && utterance.lengthMs < REALTIME_LIMITS.bufferMs) {
      this.#parts.onMore(utterance, detector.speechMs);
      return;
    }
    this.#utterance = null;
    const end = event ?? detector.stop();
    utterance.end(silenceMs);
    this.#parts.onSilence(utterance, end?.type === 'speech_stopped' ? end.audio_end_ms : Math.round(this.nowMs));
  }

  #begin(start: number): Utterance {
    const startMs = Math.round(durationMs({ byteLength: start }));
    const utterance: Utterance = new Utterance(startMs, this.#parts.transcribe(), (text) => {
      const detection = this.#detection;
      if (utterance === this.#utterance && detection?.type === 'semantic_vad' && this.#detector !== null)
        this.#detector.thresholds = thresholdsOf(detection, text);
      this.#parts.onPartial(utterance, text);
    });
    return utterance;
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.close();
    this.#parts.onDeaf(error);
  }
}
