import type { Readable } from 'node:stream';
import type { JSONValue } from '@ai-sdk/provider';
import type {
  Capability,
  ChatMessage,
  ChorusError,
  ProviderName,
  SamplingSettings,
  SettingName,
  Size,
  Usage,
} from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { CallOptions } from './call-options.ts';
import type { ProviderGate } from './gate/provider-gate.ts';
import type { SpeechPorts, Transcript, TranscriptionCall } from './speech-port.ts';

export type { CallOptions } from './call-options.ts';

/** How a provider is switched on: by its key, and for `compatible` by its base URL. */
export interface ProviderSettings {
  apiKey: string | null;
  /** Where the provider's API stands; null: its own address. */
  baseUrl: string | null;
}

export interface ChatCall {
  /** `provider/model` at the registry; the part after the first slash at a provider. */
  model: string;
  messages: ChatMessage[];
  settings: SamplingSettings;
  /** Leaves out settings that the model does not take. Otherwise they fail the call. */
  lenient?: boolean;
}

/** OpenAI's names. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** A piece of an answer: texts, none of them empty, then exactly one finish. */
export type ChatPart = { type: 'text'; text: string } | { type: 'finish'; finish_reason: FinishReason; usage: Usage };

/** An image file that a model is given to go by. */
export interface GivenImage {
  bytes: Uint8Array;
  /** Such as `image/png`. */
  mediaType: string;
}

/** One image. */
export interface ImageCall {
  model: string;
  prompt: string;
  /** Pixels; absent: the model's own. */
  size?: Size;
  seed?: number;
  /** What should not be seen. */
  negativePrompt?: string;
  references?: GivenImage[];
}

export interface MadeImage {
  /** Of an image file. */
  bytes: Uint8Array;
  usage: Usage;
  /** What was asked for and the model leaves out or takes otherwise, a sentence each, to be shown to the user. */
  warnings: string[];
}

export interface VideoCall {
  model: string;
  prompt: string;
  durationS: number;
  fps?: number;
  /** Pixels; absent: the model's own. */
  size?: Size;
  seed?: number;
  /** What it begins with. */
  image?: GivenImage;
}

/** Where a provider finds a video that it makes: JSON, to be kept and given back as it is. */
export type VideoOperation = JSONValue;

export interface StartedVideo {
  operation: VideoOperation;
  /** What it costs, where that is known; nothing is paid for one that fails. */
  usage: Usage;
  warnings: string[];
}

/** How far a video is at its provider. `failed` is final. */
export type VideoState =
  | { status: 'pending' }
  | { status: 'failed'; error: ChorusError }
  | {
      status: 'made';
      mediaType: string;
      /**
       * Opens the download. The stream fails when the provider falls silent; whoever reads it bounds its length.
       * @throws ChorusError as every call
       */
      open(options: CallOptions): Promise<Readable>;
    };

export interface VideoRequest {
  model: string;
  operation: VideoOperation;
}

export interface RenderOptions extends CallOptions {
  /** Where the video is written; the file is the caller's, also after a failure. */
  path: string;
  /** Told after each frame. */
  onFrame?(completed: number, total: number): void;
}

export interface RenderedVideo extends Size {
  mediaType: string;
  durationMs: number;
  fps: number;
  /** Its first frame, a PNG. */
  poster: Uint8Array;
  usage: Usage;
  warnings: string[];
}

/** What a text is embedded for: to be found, or to find. Many models make other vectors of the one than of the other. */
export type EmbeddingPurpose = 'document' | 'query';

export interface EmbeddingCall {
  model: string;
  /** None of them empty. */
  texts: readonly string[];
  purpose: EmbeddingPurpose;
}

/**
 * Every call but chat. Each is tried again as chat is before its first text, and throws the same errors.
 * A provider has those that it can do; what it lists follows from them.
 */
export interface MediaPorts extends SpeechPorts {
  generateImage?(call: ImageCall, options: CallOptions): Promise<MadeImage>;
  /**
   * Hands a video in; it is made at the provider from then on, and paid. So it is tried again only where the provider surely has not taken it: else
   * it throws, and whether something is being made is not known.
   */
  startVideo?(call: VideoCall, options: CallOptions): Promise<StartedVideo>;
  /** Asks once. What it throws says nothing of the video: it can be asked for again. */
  pollVideo?(request: VideoRequest, options: CallOptions): Promise<VideoState>;
  /** Asks the provider to stop making it; absent where that can't be asked. Whether it still could is not told. */
  cancelVideo?(request: VideoRequest, options: CallOptions): Promise<void>;
  /** Makes a video here, in place of the three above. */
  renderVideo?(call: VideoCall, options: RenderOptions): Promise<RenderedVideo>;
  transcribe?(call: TranscriptionCall, options: CallOptions): Promise<Transcript>;
  /** A vector for each text, in their order, as the model gives them. */
  embed?(call: EmbeddingCall, options: CallOptions): Promise<{ embeddings: ArrayLike<number>[]; usage: Usage }>;
}

export type ProviderStatus = 'ok' | 'failing' | 'unknown';

/** What every provider fills. An adapter is made only for a provider that is configured, and loaded only then. */
export interface Provider extends MediaPorts {
  /** The models known now; never waits. Ids without the provider's name. */
  models(): KnownModel[];
  /** The chat model that is used when nobody names one; null while none is known, or the provider has none. */
  defaultModel(): string | null;
  /** Whether its first list of models has come or failed, so that `defaultModel` is more than not known yet. */
  settled(): boolean;
  status(): ProviderStatus;
  /**
   * Streams one answer. Retries what fails before the first text; never after.
   * @throws ChorusError `provider_error`, `provider_rate_limited` (with `retryAfterS`), `provider_auth`, `content_refused`,
   * `context_too_long`, `timeout`, `model_not_found`, or `invalid_request` where the provider can't do what was asked.
   * On abort the signal's reason is thrown.
   */
  streamChat?(call: ChatCall, options: CallOptions): AsyncIterable<ChatPart>;
  /** Ends what runs in the background. Calls that run are not touched. */
  close(): void;
}

export interface KnownModel {
  id: string;
  /** Unix seconds; 0 where the provider does not say. */
  created: number;
  capabilities: Capability[];
  /** Tokens; null where the provider does not say. */
  contextWindow: number | null;
  /** Settings of a chat turn that it never takes, as far as they are known. */
  unsupportedSettings?: readonly SettingName[];
}

/** What an adapter is made with. */
export interface AdapterContext {
  name: ProviderName;
  settings: ProviderSettings;
  log: Logger;
  /** The longest silence of a provider, in milliseconds, before and during its answer. */
  idleTimeoutMs: number;
  /** Let through by it, each call knows whether the provider is broken or busy. */
  gate: ProviderGate;
  /** The file of a local model, for `embedded` alone. */
  modelPath: string | null;
}
