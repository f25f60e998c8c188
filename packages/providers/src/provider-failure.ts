import { APICallError, JSONParseError, TypeValidationError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { ChorusError, type ErrorCode } from '@chorus/contract';
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

/** Facts of a failure from an HTTP answer, an event in the stream or the network. */
interface Facts {
  status: number | null;
  /** The provider's `code` and `type` in lower case. */
  codes: string;
  message: string;
  retryAfterS: number | null;
  network: string | null;
}

export interface FailureContext {
  provider: string;
  /** Keys and parts of the base URL, which must never be shown. */
  secrets: readonly (string | null)[];
}

/** The stream ended before its finish, or with the provider's word for a failure. */
export class TruncatedStream extends Error {
  readonly reason: string | undefined;

  constructor(reason?: string) {
    super('incomplete answer');
    this.name = 'StreamCut';
    this.reason = reason;
  }
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

const MAX_REASON = 100;

function factsOf(thrown: unknown): Facts {
  const facts: Facts = { status: null, codes: '', message: '', retryAfterS: null, network: null };
  if (thrown instanceof TruncatedStream)
    return thrown.reason === undefined
      ? { ...facts, network: thrown.message }
      : { ...facts, message: `it ended its answer with ${thrown.reason.slice(0, MAX_REASON)}` };
  if (APICallError.isInstance(thrown)) {
    const network = networkCode(thrown);
    // A broken stream is wrapped with its initial status 200.
    const status = thrown.statusCode !== undefined && thrown.statusCode >= 300 ? thrown.statusCode : null;
    // Reads the raw answer, because the packages leave out fields.
    // Google's endpoint for OpenAI clients sends an array with one element.
    const data = fieldsOf([parsed(thrown.responseBody) ?? thrown.data].flat()[0]);
    const error = errorIn(data);
    return {
      status: status ?? statusOf(error),
      codes: codesOf(error),
      message: network !== null ? '' : (messageOf(error) ?? stringOf(data.error) ?? stringOf(data.detail) ?? ''),
      retryAfterS: parseRetryAfter(thrown.responseHeaders?.['retry-after']) ?? retryDelayOf(error),
      network: status === null ? network : null,
    };
  }
  if (typeof thrown === 'string') return { ...facts, message: thrown };
  // An error frame instead of data, sometimes `{"error": "…"}`. Any other frame is not quoted.
  if (TypeValidationError.isInstance(thrown)) {
    const frame = fieldsOf(thrown.value);
    const error = errorIn(frame);
    const isError = frame.object === 'error' || error !== frame;
    const said = stringOf(frame.error) ?? (isError ? messageOf(error) : null);
    return { ...facts, codes: isError ? codesOf(error) : '', message: said ?? 'it sent an invalid answer' };
  }
  if (JSONParseError.isInstance(thrown)) return { ...facts, message: 'it sent an invalid answer' };
  const fields = fieldsOf(thrown);
  const error = errorIn(fields);
  if (thrown instanceof Error) {
    const network = networkCode(thrown);
    // Only errors sent by the provider have a message to show; others may quote anything.
    const sent = 'frame' in fields || 'data' in fields || error !== fields;
    return { ...facts, status: statusOf(fields), codes: codesOf(error), message: sent ? thrown.message : '', network };
  }
  return { ...facts, status: statusOf(error), codes: codesOf(error), message: messageOf(error) ?? '' };
}

/** Finds the error: mostly in `error`; for ElevenLabs in `detail`, for fal in a list there; else at the top. */
function errorIn(data: Record<string, unknown>): Record<string, unknown> {
  const { detail } = data;
  const inDetail = Array.isArray(detail) ? detail[0] : detail;
  return fieldsOf(
    [data.error, fieldsOf(data.response).error, inDetail].find((one) => typeof one === 'object' && one !== null) ??
      data,
  );
}

/** `err_msg` is Deepgram's field, `msg` fal's. */
function messageOf({ message, err_msg, msg }: Record<string, unknown>): string | null {
  return stringOf(message) ?? stringOf(err_msg) ?? stringOf(msg);
}

/** Reads Google's retry time: `{"@type": "…RetryInfo", "retryDelay": "34s"}`. */
function retryDelayOf({ details }: Record<string, unknown>): number | null {
  for (const detail of Array.isArray(details) ? details : []) {
    const delay = /^(\d+(\.\d+)?)s$/.exec(stringOf(fieldsOf(detail).retryDelay) ?? '');
    if (delay) return Number(delay[1]);
  }
  return null;
}

/** Finds the system's network error code along the causes. */
export function networkCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/.test(code))
      return code;
    if (at instanceof TypeError && /terminated|fetch failed/.test(at.message) && at.cause === undefined)
      return 'connection lost';
  }
  return null;
}

/** Google and ElevenLabs use `status`, Deepgram `err_code`; Google's details are more precise. */
function codesOf(error: Record<string, unknown>): string {
  const details = Array.isArray(error.details) ? error.details : [];
  return [error.code, error.type, error.status, error.err_code, ...details.map((detail) => fieldsOf(detail).reason)]
    .map((value) => stringOf(value) ?? '')
    .join(' ')
    .toLowerCase();
}

function statusOf(error: Record<string, unknown>): number | null {
  for (const value of [error.statusCode, error.status, error.code])
    if (typeof value === 'number' && value >= 400 && value < 600) return value;
  return null;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

/**
 * Reads an HTTP `Retry-After` header as seconds from a number or a date.
 *
 * @returns null if it is missing or invalid; never negative
 */
export function parseRetryAfter(header: string | undefined, now: number = Date.now()): number | null {
  if (header === undefined || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
