import type { Readable } from 'node:stream';
import type { JSONValue } from '@ai-sdk/provider';
import {
  type CallSpending,
  type Capability,
  type ChatFeature,
  type ChatMessage,
  type ChatSettings,
  type ChorusError,
  type ImageOptions,
  type ProviderName,
  type SettingName,
  type Size,
  type SpeechOptions,
  type TokenLogprob,
  type TranscriptionOptions,
  type Usage,
  VOICE_LIMITS,
  type Voice,
} from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import type { CallGate } from './call-gate.ts';
import type { CallObserver } from './call-observer.ts';
import type { HeldPermit } from './held-permit.ts';

export interface CallOptions {
  /** Ends the call: closes the connection and throws the signal's reason. */
  signal: AbortSignal;
  /** For the log only. */
  executionId: string;
  /** Users take turns at a provider or engine. Default: the execution's user. */
  user?: string;
  /** Whether it has no waiting caller, as in a batch. Calls with one go first. */
  isBatch?: boolean;
  /** When the work ends anyway, by `performance.now()`. Retries do not wait longer. */
  endsAt?: number;
  /** The longest wait in place for the provider. Default: a second, since the queue can wait for longer. */
  maxWaitS?: number;
  /** Waits in place for up to five minutes, because the job has results that it would lose in the queue. */
  keepsResults?: boolean;
  /**
   * Called before a request is sent, which may cost something from then on. The request waits for a promise, and is not
   * sent if that rejects.
   */
  onRequest?: () => void | Promise<void>;
  /**
   * Called as each request of a chat call is sent, with a function that estimates what it has used so far. Call it
   * until the request ends.
   */
  onSent?: (soFar: () => Usage) => void;
  /**
   * Called with an upper estimate of a call's usage if the call ends before its provider reports it: it was cancelled,
   * or has failed after its first words.
   */
  onUnfinished?: (usage: Usage) => void;
  /** The budgets of the execution. Absent: it has none. */
  spending?: CallSpending | undefined;
  /** Keeps the permit of the call for the work that goes on after it. Once it is held, calls use it. */
  permit?: HeldPermit;
}

export interface SpeechCall {
  model: string;
  text: string;
  voice?: string;
  /** 1 is normal; from 0.25 to 4. Ignored by models that can't change it. */
  speed?: number;
  /** How to speak. Ignored by models that can't follow it. */
  instructions?: string;
}

export interface GeneratedSpeech {
  /** pcm16 at 24 kHz. */
  audio: Uint8Array;
  durationMs: number;
  usage: Usage;
}

export interface TranscriptionCall {
  model: string;
  audio: Uint8Array;
  /** `audio/pcm` for pcm16 at 24 kHz, which every model accepts, or the type of a file. */
  mediaType: string;
  /** `translate`: into English. Default: `transcribe`. */
  task?: 'transcribe' | 'translate';
  /** ISO 639. Default: detected. */
  language?: string;
  prompt?: string;
  temperature?: number;
  /** Whether to ask for the times of words. */
  words?: boolean;
  /** Called with each segment as it is transcribed, by models that run here. */
  onSegment?(segment: TimedSpeech): void;
}

/** Speech with its time. */
export interface TimedSpeech {
  text: string;
  startSecond: number;
  endSecond: number;
}

export interface Transcript {
  text: string;
  /** Empty if unknown. */
  segments: TimedSpeech[];
  /** Empty if unknown or not requested. */
  words: TimedSpeech[];
  /** ISO 639. Null: unknown. */
  language: string | null;
  durationS: number | null;
  /** Set if the speech is in a language that the model does not know: `foreign` certainly, `unclear` perhaps. */
  doubt?: 'foreign' | 'unclear';
  usage: Usage;
}

/** Transcribes speech as it arrives, until `end`, `close` or the signal. */
export interface LiveTranscription {
  /**
   * Adds whole samples of pcm16 at 24 kHz.
   *
   * @throws ChorusError `payload_too_large` beyond `MAX_LIVE_S` in total
   */
  push(pcm16: Uint8Array): void;
  /** The text so far, after each change. Later texts may correct earlier ones. `end` reports failures. */
  partials: AsyncIterable<string>;
  /** Resolves when the model has loaded or failed to load. Absent if it is already loaded. */
  loaded?: Promise<void>;
  /** Finishes the transcript. @throws ChorusError as every call */
  end(): Promise<Transcript>;
  /** Abandons the rest and ends `partials`. */
  close(): void;
}

/** The longest live speech. */
export const MAX_LIVE_S = VOICE_LIMITS.audioMs / 1_000;

export interface SpeechPorts {
  /**
   * Speaks as pcm16 at 24 kHz, in pieces of whole samples. Failures before the first piece are retried.
   * Leaving the iteration ends the call.
   */
  streamSpeech?(call: SpeechCall, options: CallOptions): AsyncIterable<Uint8Array>;
  /** The voices of a speech model; none if the model itself is a voice. */
  voices?(model: string): Voice[];
  /** Absent: speech is transcribed at the end. */
  openTranscription?(call: { model: string }, options: CallOptions): LiveTranscription;
  /** Returns whether the model was loaded before. */
  prepare?(model: string, voice?: string): boolean;
}

/** Enables a provider: its key, or the base URL for `compatible`. */
export interface ProviderSettings {
  apiKey: string | null;
  /** Null: the provider's own address. */
  baseUrl: string | null;
  /** Where the key comes from. Default: the environment. */
  source?: 'environment' | 'stored';
}

export interface ChatCall {
  /** `provider/model` for the registry; without the provider for an adapter. */
  model: string;
  messages: ChatMessage[];
  settings: ChatSettings;
  /** Whether to drop settings that the model does not support, instead of failing. */
  lenient?: boolean;
  /** For the provider's prompt cache. */
  cache?: PromptCache;
}

export interface PromptCache {
  /** The same for requests whose prompts have the same beginning. */
  key: string;
  /** Whether another request will probably begin with this whole prompt. */
  repeats?: boolean;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/**
 * A piece of an answer: deltas, then exactly one finish. Tool calls are numbered from 0. `signature`: opaque data
 * of the provider, sent back with the reasoning or call in later requests. It ends a block of reasoning. Signatures
 * and log probabilities may come without text.
 */
export type ChatPart =
  | { type: 'text'; text: string; logprobs?: TokenLogprob[] }
  | { type: 'reasoning'; text: string; signature?: string }
  | { type: 'refusal'; text: string }
  /** The first part of a call may have no arguments yet. */
  | { type: 'tool_call'; index: number; id: string; name: string; arguments: string; signature?: string }
  /** `stop_sequence` is the text of `stop` that ended the answer, if the provider reports it. */
  | { type: 'finish'; finish_reason: FinishReason; usage: Usage; stop_sequence?: string };

export interface InputImage {
  bytes: Uint8Array;
  mediaType: string;
}

export interface ImageCall {
  model: string;
  prompt: string;
  /** Pixels; by default the model's own. */
  size?: Size;
  seed?: number;
  negativePrompt?: string;
  references?: InputImage[];
  /** Transparent where the first reference may change. */
  mask?: InputImage;
  options?: ImageOptions;
}

export interface GeneratedImage {
  bytes: Uint8Array;
  usage: Usage;
  /** Messages for the user about options that were dropped or changed. */
  warnings: string[];
}

export interface VideoCall {
  model: string;
  prompt: string;
  durationS: number;
  fps?: number;
  size?: Size;
  seed?: number;
  image?: InputImage;
}

/** A provider's reference to a video in progress: JSON to be stored and passed back. */
export type VideoOperation = JSONValue;

export interface StartedVideo {
  operation: VideoOperation;
  /** The cost if known. A failed video costs nothing. */
  usage: Usage;
  warnings: string[];
}

/** The progress of a video. `failed` is final. */
export type VideoState =
  | { status: 'pending' }
  | { status: 'failed'; error: ChorusError }
  | {
      status: 'made';
      mediaType: string;
      /**
       * Opens the download. The stream fails when the provider is silent; the reader limits its length.
       *
       * @throws ChorusError as every call
       */
      open(options: CallOptions): Promise<Readable>;
    };

export interface VideoRequest {
  model: string;
  operation: VideoOperation;
}

export interface RenderOptions extends CallOptions {
  /** The file to write. The caller deletes it, even after a failure. */
  path: string;
  onFrame?(completed: number, total: number): void;
}

export interface RenderedVideo extends Size {
  mediaType: string;
  durationMs: number;
  fps: number;
  poster: Uint8Array;
  usage: Usage;
  warnings: string[];
}

/** Many models embed documents and queries differently. */
export type EmbeddingPurpose = 'document' | 'query';

export interface EmbeddingCall {
  model: string;
  texts: readonly string[];
  /** Null: embeds exactly these texts, without a prefix. A text that is too long is refused instead of cut. */
  purpose: EmbeddingPurpose | null;
  /** Length of the vectors, for models that support it. Default: our choice with a purpose, else the model's. */
  dimensions?: number;
}

/**
 * All calls except chat. Each is retried like chat before its first output and throws the same errors.
 * A provider implements the ports it supports, and lists models accordingly.
 */
export interface MediaPorts extends SpeechPorts {
  generateImage?(call: ImageCall, options: CallOptions): Promise<GeneratedImage>;
  /**
   * Submits a video, which costs money from then on. It is retried only if the provider certainly did not accept it.
   * After other errors its state is unknown. `permit` is held once it has been accepted.
   */
  startVideo?(call: VideoCall, options: CallOptions): Promise<StartedVideo>;
  /**
   * Polls once. An error does not mean that the video failed, so polling can continue. A `permit` that is not held yet
   * is taken if the lane has one, but the video is polled without one, too.
   */
  pollVideo?(request: VideoRequest, options: CallOptions): Promise<VideoState>;
  /** Asks the provider to cancel. Absent if it can't. The outcome is not reported. */
  cancelVideo?(request: VideoRequest, options: CallOptions): Promise<void>;
  /** Renders a video locally, instead of the three calls above. */
  renderVideo?(call: VideoCall, options: RenderOptions): Promise<RenderedVideo>;
  transcribe?(call: TranscriptionCall, options: CallOptions): Promise<Transcript>;
  embed?(call: EmbeddingCall, options: CallOptions): Promise<{ embeddings: ArrayLike<number>[]; usage: Usage }>;
}

export type ProviderStatus = 'ok' | 'failing' | 'unknown';

/** Implemented by every adapter. Adapters are loaded only for configured providers. */
export interface Provider extends MediaPorts {
  /** The models known now, without the provider's name. */
  models(): KnownModel[];
  /** The default chat model; null while unknown or if there is none. */
  defaultModel(): string | null;
  /** Whether the first model list has arrived or failed, so that `defaultModel` is final. */
  settled(): boolean;
  status(): ProviderStatus;
  /**
   * Streams one answer. Failures are retried only before the first part.
   *
   * @throws ChorusError `provider_error`, `provider_unavailable`, `provider_rate_limited` (with `retryAfterS`),
   * `provider_auth`, `content_refused`, `context_too_long`, `timeout`, `model_not_found`, or `invalid_request` if the
   * provider can't do this; on abort the signal's reason
   */
  streamChat?(call: ChatCall, options: CallOptions): AsyncIterable<ChatPart>;
  close(): void;
}

export interface KnownModel {
  id: string;
  /** Unix seconds; 0 if unknown. */
  created: number;
  capabilities: Capability[];
  /** Tokens; null if unknown. */
  contextWindow: number | null;
  /** Chat features that it is known to refuse. */
  unsupportedSettings?: readonly ChatFeature[];
  /** Chat settings that it accepts but ignores. */
  ignoredSettings?: readonly SettingName[];
  /** For a speech model. */
  speechOptions?: SpeechOptions;
  /** For a transcription model. */
  transcriptionOptions?: TranscriptionOptions;
}

export interface AdapterContext {
  name: ProviderName;
  settings: ProviderSettings;
  log: Logger;
  /** The longest silence of a provider, before and during its answer. */
  idleTimeoutMs: number;
  /** Admits calls and learns from their outcomes. */
  gate: CallGate;
  observer: CallObserver;
  /** A local model file, for `embedded` only. */
  modelPath: string | null;
  /** The folder for weights of built-in models that are fetched on first use, for `embedded` only. */
  modelsFolder: string | null;
}
