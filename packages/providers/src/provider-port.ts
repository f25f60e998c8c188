import type { ChatMessage, ModelRecord, ProviderName, SamplingSettings, Usage } from '@chorus/contract';
import type { Logger } from '@chorus/log';

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
}

export interface ChatCallOptions {
  /** Ends the call: the connection to the provider closes at once, and the signal's reason is thrown. */
  signal: AbortSignal;
  /** For the log alone. */
  executionId: string;
}

/** OpenAI's names. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** A piece of an answer: texts, none of them empty, then exactly one finish. */
export type ChatPart = { type: 'text'; text: string } | { type: 'finish'; finish_reason: FinishReason; usage: Usage };

export type ProviderStatus = 'ok' | 'failing' | 'unknown';

/**
 * What every provider of chat models fills. An adapter is made only for a provider that is configured, and loaded only then.
 * Speech, images and the rest get ports of their own beside this one.
 */
export interface ChatProvider {
  /** The models known now; never waits. Ids without the provider's name. */
  models(): KnownModel[];
  /** The model that is used when nobody names one; null while none is known. */
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
  streamChat(call: ChatCall, options: ChatCallOptions): AsyncIterable<ChatPart>;
  /** Ends what runs in the background. Calls that run are not touched. */
  close(): void;
}

export interface KnownModel {
  id: string;
  created: number;
  capabilities: ModelRecord['capabilities'];
}

/** What an adapter is made with. */
export interface AdapterContext {
  name: ProviderName;
  settings: ProviderSettings;
  log: Logger;
  /** The longest silence of a provider, in milliseconds, before and during its answer; Node's `fetch` itself ends at 300,000. */
  idleTimeoutMs: number;
}
