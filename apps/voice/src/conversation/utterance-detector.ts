import { REALTIME_LIMITS, type TurnDetection } from '@chorus/contract';
import type { LiveTranscription } from '@chorus/providers';
import { bytesOf, durationMs, FRAME_MS, TurnDetector, thresholdsOf, type VoiceActivity } from '@chorus/speech';
import { RecentSound } from './recent-sound.ts';
import { Utterance } from './utterance.ts';

export interface UtteranceDetectorParts {
  transcribe(): LiveTranscription;
  /** Opens speech detection; loaded on first use. */
  openActivity(): Promise<VoiceActivity>;
  onSpeech(utterance: Utterance): void;
  /** Called with the length of uninterrupted speech. */
  onSpeaking(utterance: Utterance, speechMs: number): void;
  onSpeechEnd(utterance: Utterance, endMs: number): void;
  onPartial(utterance: Utterance, text: string): void;
  /** Called when speech detection fails. */
  onError(error: unknown): void;
}

const FRAME_BYTES = bytesOf(FRAME_MS);

/** Audio kept from before speech starts: the largest padding that can be configured. */
const KEPT_BYTES = bytesOf(5_000);

/** Large input is processed in chunks so that other sockets are not blocked. */
const PIECE_BYTES = bytesOf(1_000);

/** Detects utterances in the audio of one socket, or collects audio until the client commits it. */
export class UtteranceDetector {
  readonly #parts: UtteranceDetectorParts;
  #detection: TurnDetection | null;
  #activity: Promise<VoiceActivity> | null = null;
  #detector: TurnDetector | null = null;
  #utterance: Utterance | null = null;
  /** Audio that may still become part of an utterance. */
  readonly #recent = new RecentSound();
  #analyzedBytes = 0;
  #receivedBytes = 0;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: UtteranceDetectorParts, detection: TurnDetection | null) {
    this.#parts = parts;
    this.#detection = detection;
  }

  /** The current utterance, or one that waits to be committed. */
  get utterance(): Utterance | null {
    return this.#utterance;
  }

  /** Duration of all audio received. */
  get nowMs(): number {
    return durationMs({ byteLength: this.#receivedBytes });
  }

  /** Sets turn detection; with null, the client commits. */
  set detection(detection: TurnDetection | null) {
    if ((detection === null) !== (this.#detection === null)) this.clear();
    this.#detection = detection;
    if (detection !== null && this.#detector !== null) this.#detector.thresholds = thresholdsOf(detection, null);
  }

  /** @returns whether the buffer had room for the audio */
  append(pcm: Uint8Array): boolean {
    if (this.#closed) return true;
    if (this.#detection === null) return this.#appendUndetected(pcm);
    this.#receivedBytes += pcm.byteLength;
    for (let at = 0; at < pcm.byteLength; at += PIECE_BYTES) {
      const piece = pcm.subarray(at, at + PIECE_BYTES);
      this.#working = this.#working.then(() => this.#detect(piece)).catch((error: unknown) => this.#fail(error));
    }
    return true;
  }

  /** Ends the current utterance. */
  commit(): Utterance | null {
    const utterance = this.#utterance;
    this.#utterance = null;
    this.#detector?.stop();
    utterance?.end(0);
    return utterance;
  }

  clear(): Utterance | null {
    const utterance = this.#utterance;
    this.#utterance = null;
    this.#detector?.stop();
    utterance?.cancel();
    return utterance;
  }

  close(): void {
    this.#closed = true;
    this.clear();
  }

  #appendUndetected(pcm: Uint8Array): boolean {
    if ((this.#utterance?.lengthMs ?? 0) + durationMs(pcm) > REALTIME_LIMITS.bufferMs) return false;
    this.#utterance ??= this.#begin(this.#receivedBytes);
    this.#utterance.append(pcm);
    this.#receivedBytes += pcm.byteLength;
    this.#analyzedBytes = this.#receivedBytes;
    this.#recent.restart(this.#receivedBytes);
    return true;
  }

  async #detect(pcm: Uint8Array): Promise<void> {
    const detection = this.#detection;
    if (this.#closed || detection === null) return;
    this.#activity ??= this.#parts.openActivity();
    this.#detector ??= new TurnDetector(thresholdsOf(detection, null), durationMs({ byteLength: this.#analyzedBytes }));
    this.#recent.append(pcm);
    const probabilities = await (await this.#activity).push(pcm);
    if (this.#closed) return;
    for (const probability of probabilities) this.#frame(this.#detector, probability);
    this.#recent.forget(this.#analyzedBytes - (this.#utterance === null ? KEPT_BYTES : 0));
  }

  #frame(detector: TurnDetector, probability: number): void {
    const from = this.#analyzedBytes;
    this.#analyzedBytes += FRAME_BYTES;
    const { silenceMs } = detector;
    const event = detector.push(probability);
    if (event?.type === 'speech_started') {
      const start = Math.max(this.#recent.from, bytesOf(event.audio_start_ms));
      this.#utterance = this.#begin(start);
      this.#utterance.append(this.#recent.read(start, this.#analyzedBytes));
      this.#parts.onSpeech(this.#utterance);
      return;
    }
    const utterance = this.#utterance;
    if (utterance === null) return;
    utterance.append(this.#recent.read(from, this.#analyzedBytes));
    if (event === null && utterance.lengthMs < REALTIME_LIMITS.bufferMs) {
      this.#parts.onSpeaking(utterance, detector.speechMs);
      return;
    }
    this.#utterance = null;
    const end = event ?? detector.stop();
    utterance.end(silenceMs);
    this.#parts.onSpeechEnd(utterance, end?.type === 'speech_stopped' ? end.audio_end_ms : Math.round(this.nowMs));
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
    this.#parts.onError(error);
  }
}
