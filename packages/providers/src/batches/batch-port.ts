import type { JSONObject } from '@ai-sdk/provider';
import type { ChorusError } from '@chorus/contract';
import type { CallOptions, ChatCall, ChatPart, EmbeddingCall, MediaPorts, Provider } from '../provider-port.ts';

/** The interface for which a request was made. All requests of one batch have the same. */
export type BatchEndpoint =
  | 'chat/completions'
  | 'responses'
  | 'embeddings'
  | 'messages'
  | 'generateContent'
  | 'embedContent';

/** A request as a normal call would send it, without streaming. */
export interface PlannedRequest {
  endpoint: BatchEndpoint;
  body: JSONObject;
  /** Names of beta features that the body uses. */
  betas: readonly string[];
}

/** @property id Up to 46 letters, digits, `_` and `-`; unique in its batch. */
export interface BatchRequest extends PlannedRequest {
  id: string;
}

/** Limits of one batch. */
export interface BatchLimits {
  requests: number;
  bytes: number;
  /** Texts to embed, in all requests. */
  texts?: number;
}

/** Requests in a local file, ready to be sent as one batch. */
export interface StagedBatch {
  key: string;
  model: string;
  endpoint: BatchEndpoint;
  ids: readonly string[];
  path: string;
  bytes: number;
  betas: readonly string[];
  /** Deletes the file. */
  discard(): Promise<void>;
}

export interface StageOptions {
  /** A folder for files, which are deleted by `discard`. */
  folder: string;
  model: string;
  /** Returns the key of the next batch: our mark at the provider, up to 64 letters, digits, `_` and `-`. */
  nextKey(): string;
}

/** A provider's reference to a batch: JSON to be stored and passed back. */
export interface BatchOperation extends JSONObject {
  id: string;
  endpoint: BatchEndpoint;
}

/** Describes a batch whose operation was not stored. */
export interface BatchQuery extends Pick<StagedBatch, 'key' | 'model' | 'endpoint'> {
  /** The number of its requests. */
  requests: number;
  /** When it was last submitted, in epoch milliseconds. */
  submittedAt: number;
  /** Ids of other operations, to rule out other batches where a provider does not show our key. */
  known?: ReadonlySet<string>;
  /** How long a batch that is not listed may still appear. Default: one minute. */
  settleMs?: number;
}

/**
 * Whether the provider has accepted a batch. `unclear`: it may have, so ask later, and do not submit the batch again
 * yet. It becomes clear when the provider's other batches of that time have ended, at the latest.
 */
export type FoundBatch = { status: 'found'; operation: BatchOperation } | { status: 'missing' } | { status: 'unclear' };

/** The answer to one request: HTTP status and JSON. */
export interface BatchAnswer {
  endpoint: BatchEndpoint;
  status: number;
  body: unknown;
}

/** `ended`: the batch ended before the request was answered. The request costs nothing. */
export type BatchResult =
  | { id: string; answer: BatchAnswer; ended?: never }
  | { id: string; ended: 'expired' | 'cancelled'; answer?: never };

export interface BatchCounts {
  total: number;
  completed: number;
  failed: number;
}

/**
 * The progress of a batch. A batch that expired or was cancelled may have results. Requests without a result ended like
 * the batch, or were lost by the provider.
 */
export type BatchState =
  | { status: 'pending'; counts: BatchCounts }
  | {
      status: 'ended' | 'expired' | 'cancelled';
      counts: BatchCounts;
      /** Downloads the results, in any order. A broken download throws, and can be repeated. */
      results(options: CallOptions): AsyncIterable<BatchResult>;
    }
  | { status: 'failed'; counts: BatchCounts; error: ChorusError };

/** A provider's batch endpoint, for half the price. Models are without the provider's name. */
export interface ProviderBatches {
  limits: BatchLimits;
  /**
   * Builds the request of a call. Null: the batch endpoint can't run it.
   *
   * @throws ChorusError `invalid_request` as the call would
   */
  planChat(call: ChatCall): Promise<PlannedRequest | null>;
  planEmbedding(call: EmbeddingCall): Promise<PlannedRequest | null>;
  /** Writes requests to files, cut by the limits. Requests must have one model and endpoint. */
  stage(requests: AsyncIterable<BatchRequest>, options: StageOptions): AsyncGenerator<StagedBatch, void, undefined>;
  /**
   * Submits a batch, which costs money from then on. It is retried only if the provider certainly did not accept it.
   * After any error, or if the process dies, ask `find` before submitting it again.
   */
  submit(staged: StagedBatch, options: CallOptions): Promise<BatchOperation>;
  /** Finds a batch by its key. */
  find(query: BatchQuery, options: CallOptions): Promise<FoundBatch>;
  /** Polls once. An error does not mean that the batch failed, so polling can continue. */
  poll(operation: BatchOperation, options: CallOptions): Promise<BatchState>;
  /** Asks to cancel a batch, which then ends soon. Does nothing if it has ended. */
  cancel(operation: BatchOperation, options: CallOptions): Promise<void>;
  /** Deletes an ended batch and its files, as far as the provider can. */
  delete(operation: BatchOperation, options: CallOptions): Promise<void>;
  /** Reads an answer as the same call reads its own. Throws the same errors. The cost is that of the batch. */
  readChat(call: ChatCall, answer: BatchAnswer, options: CallOptions): AsyncIterable<ChatPart>;
  readEmbedding(
    call: EmbeddingCall,
    answer: BatchAnswer,
    options: CallOptions,
  ): ReturnType<Required<MediaPorts>['embed']>;
}

export interface BatchingProvider extends Provider {
  /** Absent if the provider has no batch endpoint. */
  batches?: ProviderBatches;
}

/** The differences between the batch endpoints of providers. */
export interface BatchWire extends Pick<ProviderBatches, 'limits' | 'submit' | 'poll' | 'cancel' | 'delete'> {
  endpoints: ReadonlySet<BatchEndpoint>;
  /** Returns the request as a part of the file. */
  write(request: BatchRequest, key: string): string;
  /** Surrounds the requests in the file. Default: lines. */
  frame?: { head: string; between: string; tail: string };
  find(query: BatchQuery, options: CallOptions): Promise<FoundBatch>;
}
