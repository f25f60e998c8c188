import type { ErrorCode, Usage } from '@chorus/contract';

export type CallOperation = 'chat' | 'embeddings' | 'image' | 'video' | 'speech' | 'transcription' | 'batch';

/** A request to a provider. A retry is a separate request. */
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
  /** Absent: the lane learned nothing, for example since the caller left. */
  lane?: LaneOutcome;
}

/** `refused`: the provider said "slow down". `failed`: it did not answer. */
export type LaneOutcome = 'accepted' | 'refused' | 'failed';

/** Observes calls to providers, for metrics and traces. */
export interface CallObserver {
  /** Called with each request. Returns a function to call once, at its end. */
  begin(call: ObservedCall): (end: ObservedEnd) => void;
  /** Called when another provider's or model's answer replaces a failed one. */
  fellBack(fallback: { from: string; to: string }): void;
  /** Called with whether calls to a provider are paused, since they keep failing. */
  breakerIs(provider: string, open: boolean): void;
}

const nothing = () => undefined;

export const NO_OBSERVER: CallObserver = { begin: () => nothing, fellBack: nothing, breakerIs: nothing };
