import type { ErrorCode, Usage } from '@chorus/contract';

export type CallOperation = 'chat' | 'embeddings' | 'image' | 'video' | 'speech' | 'transcription';

/** A request to a provider. A retry is another one. */
export interface ObservedCall {
  provider: string;
  operation: CallOperation;
  /** Without the provider's name. */
  model: string;
  executionId: string;
}

export interface ObservedEnd {
  outcome: 'ok' | 'cancelled' | ErrorCode;
  usage?: Usage | undefined;
}

/** Learns about calls to providers, for metrics and traces. */
export interface CallObserver {
  /** Notes a request. Returns what to call once at its end. */
  begin(call: ObservedCall): (end: ObservedEnd) => void;
  /** Another provider's or model's answer replaces a failed one. */
  fellBack(fallback: { from: string; to: string }): void;
  /** Whether a provider is not called for now, since its calls keep failing. */
  breakerIs(provider: string, open: boolean): void;
}

const nothing = () => undefined;

export const NO_OBSERVER: CallObserver = { begin: () => nothing, fellBack: nothing, breakerIs: nothing };
