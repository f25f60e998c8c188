import type { Usage } from '@chorus/contract';
import type { CallOptions } from './call-options.ts';

/** Samples in a second of all speech inside the platform, which is pcm16: signed 16-bit, the low byte first, one channel. */
export const SPEECH_RATE = 24_000;

/** The media type of such speech where calls name one. */
export const PCM16 = 'audio/pcm';

export interface Voice {
  /** What a call names. */
  id: string;
  name: string;
  /** BCP 47; null: it speaks any that its model does. */
  language: string | null;
}

export interface SpeechCall {
  model: string;
  text: string;
  /** The id of a voice; absent: the model's usual one. */
  voice?: string;
  /** 1: as usual; between 0.25 and 4. A model that can't change it speaks as usual. */
  speed?: number;
}

/** A whole text, spoken. */
export interface MadeSpeech {
  /** pcm16, 24 kHz. */
  audio: Uint8Array;
  durationMs: number;
  usage: Usage;
}

export interface TranscriptionCall {
  model: string;
  audio: Uint8Array;
  /** `audio/pcm`: pcm16, 24 kHz, which every model takes; or that of a file, as far as the provider reads such. */
  mediaType: string;
}

export interface Transcript {
  text: string;
  /** In seconds; empty where the provider does not say. */
  segments: { text: string; startSecond: number; endSecond: number }[];
  /** BCP 47, or the provider's own word for it. */
  language: string | null;
  durationS: number | null;
  usage: Usage;
}

/** Speech that is written down while it is spoken. It ends by `end`, `close`, or the call's signal. */
export interface LiveTranscription {
  /**
   * The sound as it comes: pcm16, 24 kHz, whole samples.
   * @throws ChorusError `payload_too_large` beyond `MAX_LIVE_S` in all
   */
  push(pcm16: Uint8Array): void;
  /** All that is heard so far, each time that it has changed; later texts may correct earlier ones. It fails never: `end` tells of failures. */
  partials: AsyncIterable<string>;
  /** Resolves when the model is there, also when it will never be: until then no time counts. Absent: it is there. */
  loaded?: Promise<void>;
  /** Nothing more is said. @throws ChorusError as every call */
  end(): Promise<Transcript>;
  /** Nobody wants the rest; ends `partials`. */
  close(): void;
}

/** The longest speech that is written down in one go, in seconds. */
export const MAX_LIVE_S = 600;

/** What those who speak and listen fill. */
export interface SpeechPorts {
  /**
   * Speaks: pcm16, 24 kHz, in pieces of whole samples as they are made. What fails before the first piece is tried again. Leaving the iteration ends the
   * call.
   */
  streamSpeech?(call: SpeechCall, options: CallOptions): AsyncIterable<Uint8Array>;
  /** The voices of one of its speech models; none where the model itself is a voice. */
  voices?(model: string): Voice[];
  /** Absent: what is pushed is transcribed at the end. */
  openTranscription?(call: { model: string }, options: CallOptions): LiveTranscription;
  /** Loads a model that would else be loaded by the first call. */
  prepare?(model: string, voice?: string): void;
}
