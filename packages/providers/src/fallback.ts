import { ChorusError, type ErrorCode } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import type { CallObserver } from './call-observer.ts';
import type { CallOptions, ChatPart } from './provider-port.ts';

/** The longest wait for a model while another one can answer. */
const MAX_WAIT_S = 2;

/** Errors that another model may not have. Refusals and invalid requests would be the same everywhere. */
const FALLBACK_CODES: ReadonlySet<ErrorCode> = new Set([
  'provider_error',
  'provider_unavailable',
  'provider_rate_limited',
  'provider_auth',
  'timeout',
]);

/** Another model takes over. `reset`: the text so far is discarded. */
export interface FallbackPart {
  type: 'fallback';
  model: string;
  reset: boolean;
}

export interface FallbackOptions extends CallOptions {
  /** Whether shown text may be discarded, so that another model can start over. */
  mayReset: boolean;
  /** Fallback models of this call, in order. Default: those configured. */
  fallbacks?: readonly string[] | undefined;
}

/**
 * Streams the answer of the first model in a chain that completes one.
 *
 * @param ask Streams the answer of one model.
 * @throws the last relevant error
 */
export async function* streamWithFallback(
  chain: readonly string[],
  ask: (model: string, options: CallOptions) => AsyncIterable<ChatPart>,
  { mayReset, fallbacks: _, ...options }: FallbackOptions,
  { log, observer }: { log: Logger; observer: CallObserver },
): AsyncGenerator<ChatPart | FallbackPart, void, undefined> {
  let failure: unknown;
  for (const [index, model] of chain.entries()) {
    const next = chain[index + 1];
    let shown = false;
    try {
      for await (const part of ask(model, next === undefined ? options : { ...options, maxWaitS: MAX_WAIT_S })) {
        if (part.type !== 'finish') shown = true;
        yield part;
      }
      return;
    } catch (error) {
      const code = error instanceof ChorusError && !options.signal.aborted ? error.code : null;
      // A fallback that rejects the request's settings does not explain the original failure.
      const unfit = index > 0 && code === 'invalid_request';
      if (!unfit) failure = error;
      const helps = unfit || (code !== null && FALLBACK_CODES.has(code));
      if (next === undefined || !helps || (shown && !mayReset)) throw failure;
      observer.fellBack({ from: model, to: next });
      log.warn({ execution_id: options.executionId, code, model, next }, 'another model takes over');
      yield { type: 'fallback', model: next, reset: shown };
    }
  }
}
