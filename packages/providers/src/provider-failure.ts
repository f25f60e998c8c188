import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { ChorusError } from '@chorus/contract';
import { factsOf } from './failure-facts.ts';
import { FAILURES, type FailureClass, NOT_ACCEPTED, type StopReason } from './failure-table.ts';
import { redact } from './redact.ts';

/** The default retry time for a rate limit without one. */
const DEFAULT_RETRY_AFTER_S = 5;

/** A failed call: the caller's error, and what it means for other calls. */
export interface ProviderFailure {
  error: ChorusError;
  class: FailureClass;
  /** Null unless `class` is `stopped`. */
  stopReason: StopReason | null;
  /** The pause requested by the provider; null if none. */
  retryAfterMs: number | null;
  retryAfterS: number | null;
  /** Whether the provider itself failed, rather than this one request. */
  providerFailed: boolean;
}

export interface FailureContext {
  provider: string;
  /** Keys and parts of the base URL, which must never be shown. */
  secrets: readonly (string | null)[];
}

/**
 * Maps any error of a provider package. The result has no cause, because those errors carry the whole
 * request and answer, which must reach neither log nor caller.
 */
export function toFailure(thrown: unknown, { provider, secrets }: FailureContext): ProviderFailure {
  if (thrown instanceof ChorusError) return failure(thrown, 'never');
  if (UnsupportedFunctionalityError.isInstance(thrown)) {
    const message = `${provider} does not support this: ${thrown.functionality}`;
    return failure(new ChorusError('invalid_request', message), 'never');
  }
  const facts = factsOf(thrown);
  const row = FAILURES.find(({ when }) => when(facts)) ?? NOT_ACCEPTED;
  const words = row.quotes ? redact(facts.message, secrets) : '';
  const message = row.says(provider, facts) + (words === '' ? '' : `: ${words}`);
  const isNever = row.class === 'never';
  const retryAfterMs = isNever ? null : (facts.retryAfterMs ?? (row.class === 'slow_down' ? facts.limitedMs : null));
  const shownS = retryAfterMs === null ? DEFAULT_RETRY_AFTER_S : Math.ceil(retryAfterMs / 1000);
  const error = new ChorusError(row.code, message, {
    ...((row.code === 'provider_rate_limited' || retryAfterMs !== null) && { retryAfterS: shownS }),
    ...(row.status !== undefined && { status: row.status }),
  });
  const { stopReason = null } = row;
  return {
    ...failure(error, row.class),
    stopReason,
    ...pauseOf(retryAfterMs),
    providerFailed: !isNever || row.code === 'provider_error',
  };
}

function failure(error: ChorusError, failureClass: FailureClass): ProviderFailure {
  return { error, class: failureClass, stopReason: null, ...pauseOf(null), providerFailed: false };
}

function pauseOf(retryAfterMs: number | null): Pick<ProviderFailure, 'retryAfterMs' | 'retryAfterS'> {
  return { retryAfterMs, retryAfterS: retryAfterMs === null ? null : retryAfterMs / 1000 };
}

/** Detects that a provider did not accept the signature of earlier reasoning or of a tool call. */
export function rejectsSignature(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return false;
  return /invalid_encrypted_content|encrypted content .{0,80}could not|invalid `?signature`?|thought.?signature/i.test(
    thrown.responseBody ?? '',
  );
}
