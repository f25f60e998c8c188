import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { ChorusError, type ErrorCode } from '@chorus/contract';
import { type Facts, factsOf } from './failure-facts.ts';
import { redact } from './redact.ts';

/** The default retry time for a 429 without one. */
const DEFAULT_RETRY_AFTER_S = 5;

/** Clients retry this status, but not the 502 of other failures. */
const OVERLOADED_STATUS = 503;

/** A failed call: the caller's error, and whether a retry may help. */
export interface ProviderFailure {
  error: ChorusError;
  retryable: boolean;
  /** The pause requested by the provider; null if none. */
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
export function toFailure(thrown: unknown, context: FailureContext): ProviderFailure {
  if (thrown instanceof ChorusError)
    return { error: thrown, retryable: false, retryAfterS: null, providerFailed: false };
  if (UnsupportedFunctionalityError.isInstance(thrown))
    return fail('invalid_request', `${context.provider} does not support this: ${thrown.functionality}`);
  const facts = factsOf(thrown);
  const words = redact(facts.message, context.secrets);
  const said = words === '' ? '' : `: ${words}`;
  const { provider } = context;
  const { status, codes } = facts;

  if (isContextLength(facts)) return fail('context_too_long', `The conversation is too long for the model${said}`);
  if (isRefusal(facts)) return fail('content_refused', `${provider} refused the content${said}`);
  if (/model_not_found|unknown_model/.test(codes) || (status === 404 && /\bmodel\b/i.test(facts.message)))
    return fail('model_not_found', `${provider} does not know this model${said}`);
  if (isOutOfCredit(facts))
    return trouble('provider_rate_limited', `The account at ${provider} has no credit left`, false);
  // Does not quote the provider, since its message may repeat the key.
  if (
    status === 401 ||
    status === 403 ||
    /(api_key_|auth_?)invalid|invalid_(api_key|auth)|authentication_error|permission_denied/.test(codes)
  )
    return trouble(
      'provider_auth',
      `${provider} did not accept the API key. Check ${provider.toUpperCase()}_API_KEY.`,
      false,
    );
  if (status === 429 || /rate_limit|too_many_requests|too_many_concurrent|resource_exhausted/.test(codes))
    return trouble('provider_rate_limited', `${provider} limits the rate of requests${said}`, true);
  if (status === null && /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(facts.network ?? ''))
    return trouble('timeout', `${provider} was silent for too long`, false);
  if (status === null && facts.network !== null)
    return trouble('provider_error', `${networkTrouble(facts.network)} ${provider} (${facts.network})`, true);
  if (/overloaded|unavailable|over_capacity|system_busy/.test(codes) || status === 503 || status === 529)
    return trouble('provider_error', `${provider} is overloaded${said}`, true, OVERLOADED_STATUS);
  if (status === null) return trouble('provider_error', `${provider} failed${said}`, true);
  if (status >= 500 || status === 408 || status === 409)
    return trouble('provider_error', `${provider} failed (HTTP ${status})${said}`, true);
  if (status < 400)
    return trouble('provider_error', `${provider} redirects requests (HTTP ${status}). Check its base URL.`, false);
  if (status === 404 || status === 405)
    return trouble(
      'provider_error',
      `${provider} does not have this endpoint (HTTP ${status}). Check its base URL.`,
      false,
    );
  return fail('invalid_request', `${provider} did not accept the request (HTTP ${status})${said}`);

  function fail(code: ErrorCode, message: string): ProviderFailure {
    return { error: new ChorusError(code, message), retryable: false, retryAfterS: null, providerFailed: false };
  }
  function trouble(code: ErrorCode, message: string, retryable: boolean, shownStatus?: number): ProviderFailure {
    const retryAfterS = facts.retryAfterS;
    const shown = code === 'provider_rate_limited' ? Math.ceil(retryAfterS ?? DEFAULT_RETRY_AFTER_S) : undefined;
    const error = new ChorusError(code, message, {
      ...(shown !== undefined && { retryAfterS: shown }),
      ...(shownStatus !== undefined && { status: shownStatus }),
    });
    return { error, retryable, retryAfterS, providerFailed: true };
  }
}

/** Detects that a provider did not accept the signature of earlier reasoning or of a tool call. */
export function rejectsSignature(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return false;
  return /invalid_encrypted_content|encrypted content .{0,80}could not|invalid `?signature`?|thought.?signature/i.test(
    thrown.responseBody ?? '',
  );
}

function networkTrouble(code: string): string {
  return /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT/.test(code)
    ? 'There is no connection to'
    : 'The connection broke to';
}

function isContextLength({ status, codes, message }: Facts): boolean {
  if (codes.includes('context_length_exceeded')) return true;
  if (status !== null && status !== 400 && status !== 413 && status !== 422) return false;
  return /(maximum|max|exceed\w*|longer than|too (long|large|many)).{0,60}(context|prompt|input) ?(length|window|size|tokens)?|context (length|window|size).{0,60}(exceed|is too|maximum)|(prompt|input|request) is too (long|large)|too many (input )?tokens|reduce the length of the (messages|prompt)/i.test(
    message,
  );
}

function isOutOfCredit({ status, codes, message }: Facts): boolean {
  return (
    status === 402 ||
    /insufficient_quota|billing|quota_exceeded/.test(codes) ||
    /credit balance is too low/i.test(message)
  );
}

function isRefusal({ status, codes, message }: Facts): boolean {
  if (
    /content_?filter|content_policy|content_against_policy|moderation|policy_violation|cyber_policy|responsible_?ai/.test(
      codes,
    )
  )
    return true;
  if (status !== null && status !== 400 && status !== 403 && status !== 422) return false;
  return /safety system|content (management )?polic|content filter|flagged (as|by|for)|usage polic|content checker/i.test(
    message,
  );
}
