import type { Capability, ChatMessage, ProviderName, SamplingSettings, Usage } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { ProviderGate } from './gate/provider-gate.ts';

/** How a provider is switched on: by its key, and for `compatible` by its base URL. */
export interface ProviderSettings {
  apiKey: string | null;
  /** Where the provider's API stands; null: its own address. */
  baseUrl: string | null;
}

export interface CallOptions {
  /** Ends the call: the connection to the provider closes at once, and the signal's reason is thrown. */
  signal: AbortSignal;
  /** For the log alone. */
  executionId: string;
  /** When the work ends anyway, by `performance.now()`: no pause before another try reaches beyond it. */
  endsAt?: number;
}

export interface ChatCall {
  /** `provider/model` at the registry; the part after the first slash at a provider. */
  model: string;
  messages: ChatMessage[];
  settings: SamplingSettings;
}

export interface ChatCallOptions extends CallOptions {
  /** The longest wait for this model, in seconds, before its call is given up: another one stands ready. Absent: it is the only one. */
  maxWaitS?: number;
}

/** OpenAI's names. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** A piece of an answer: texts, none of them empty, then exactly one finish. */
export type ChatPart = { type: 'text'; text: string } | { type: 'finish'; finish_reason: FinishReason; usage: Usage };

export interface ImageCall {
  model: string;
  prompt: string;
  /** How many. */
  n: number;
  /** Pixels. */
  size?: { width: number; height: number };
  seed?: number;
}

export interface VideoCall {
  model: string;
  prompt: string;
  durationS?: number;
}

export interface SpeechCall {
  model: string;
  text: string;
  voice?: string;
  /** Such as `mp3`, `wav`, `pcm`; absent: the provider's own. */
  format?: string;
}

export interface TranscriptionCall {
  model: string;
  audio: Uint8Array;
  mediaType: string;
}

export interface EmbeddingCall {
  model: string;
  values: string[];
}

export interface Transcript {
  text: string;
  /** In seconds; empty where the provider does not say. */
  segments: { text: string; startSecond: number; endSecond: number }[];
  language: string | null;
  durationS: number | null;
}

/**
 * Every call but chat. Each is tried again as chat is before its first text, and throws the same errors.
 * A provider has those that it can do; what it lists follows from them.
 */
export interface MediaPorts {
  /** Bytes of an image file each. */
  generateImage?(call: ImageCall, options: CallOptions): Promise<{ images: Uint8Array[]; usage: Usage }>;
  /** Takes minutes; the addresses are the provider's and expire. */
  generateVideo?(call: VideoCall, options: CallOptions): Promise<{ url: string; mediaType: string }>;
  generateSpeech?(call: SpeechCall, options: CallOptions): Promise<{ audio: Uint8Array }>;
  transcribe?(call: TranscriptionCall, options: CallOptions): Promise<Transcript>;
  /** A vector for each value, in their order. */
  embed?(call: EmbeddingCall, options: CallOptions): Promise<{ embeddings: number[][]; usage: Usage }>;
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
  streamChat?(call: ChatCall, options: ChatCallOptions): AsyncIterable<ChatPart>;
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
