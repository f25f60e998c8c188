import { ChorusError, type ErrorCode } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { CallOptions, ChatPart } from './provider-port.ts';

/** While another model stands ready, this one is not waited for longer, in seconds. */
const MAX_WAIT_S = 2;

/** What another model may do better. A refusal or a request that can't be served is the same everywhere. */
const HELPS: ReadonlySet<ErrorCode> = new Set(['provider_error', 'provider_rate_limited', 'provider_auth', 'timeout']);

/** Another model answers from here on; `reset`: what was given before is void. */
export interface FallbackPart {
  type: 'fallback';
  model: string;
  reset: boolean;
}

export interface FallbackOptions extends CallOptions {
  /** Whether text that was given may be taken back, so that another model begins anew. */
  mayReset: boolean;
  /** Models of this call's own that stand in, in their order; absent: those configured. */
  fallbacks?: readonly string[] | undefined;
}

/**
 * The answer of the first model of a chain that gives one whole.
 * @param ask streams the answer of one model
 * @throws what the last one threw that could serve the request
 */
export async function* streamWithFallback(
  chain: readonly string[],
  ask: (model: string, options: CallOptions) => AsyncIterable<ChatPart>,
  { mayReset, fallbacks: _, ...options }: FallbackOptions,
  log: Logger,
): AsyncGenerator<ChatPart | FallbackPart, void, undefined> {
  let failure: unknown;
  for (const [index, model] of chain.entries()) {
    const next = chain[index + 1];
    let shown = false;
    try {
      for await (const part of ask(model, next === undefined ? options : { ...options, maxWaitS: MAX_WAIT_S })) {
        if (part.type === 'text') shown = true;
        yield part;
      }
      return;
    } catch (error) {
      const code = error instanceof ChorusError && !options.signal.aborted ? error.code : null;
      // A stand-in that does not take the request's settings says nothing about why it was needed.
      const unfit = index > 0 && code === 'invalid_request';
      if (!unfit) failure = error;
      const helps = unfit || (code !== null && HELPS.has(code));
      if (next === undefined || !helps || (shown && !mayReset)) throw failure;
      log.warn({ execution_id: options.executionId, code, model, next }, 'another model takes over');
      yield { type: 'fallback', model: next, reset: shown };
    }
  }
}
