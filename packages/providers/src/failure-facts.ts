import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import { exhaustedMs, readLimits } from './limit-headers.ts';
import { type AnswerHeaders, parseRetryAfterMs, parseTimeMs, retryTimeInWords } from './retry-after.ts';

/** Facts of a failure from an HTTP answer, an event in the stream or the network. */
export interface Facts {
  status: number | null;
  /** The provider's `code` and `type` in lower case. */
  codes: string;
  message: string;
  /** The requested pause: from the headers, the details, or the message. */
  retryAfterMs: number | null;
  /** When the reported limits allow requests again. Matters only if the rate is limited. */
  limitedMs: number | null;
  /** Whether the headers say that the month's quota is used up. */
  monthIsSpent: boolean;
  network: string | null;
  /** Whether the answer had begun when the connection broke. */
  begun: boolean;
  /** Whether the request failed here, for example since its package cannot express it. */
  isLocal: boolean;
}

/** Quotas per day are asked about again after this time, because Google's retry time may be that of the minute. */
const DAY_QUOTA_MS = 10 * 60_000;

/** The stream ended before its finish, or with the provider's word for a failure. */
export class TruncatedStream extends Error {
  readonly reason: string | undefined;

  constructor(reason?: string) {
    super('incomplete answer');
    this.name = 'StreamCut';
    this.reason = reason;
  }
}

const MAX_REASON = 100;

const NOTHING: Facts = {
  status: null,
  codes: '',
  message: '',
  retryAfterMs: null,
  limitedMs: null,
  monthIsSpent: false,
  network: null,
  begun: false,
  isLocal: false,
};

/** Collects what any error of a provider package says. */
export function factsOf(thrown: unknown): Facts {
  const facts: Facts = { ...NOTHING };
  if (thrown instanceof TruncatedStream)
    return thrown.reason === undefined
      ? { ...facts, network: thrown.message, begun: true }
      : { ...facts, message: `it ended its answer with ${thrown.reason.slice(0, MAX_REASON)}` };
  if (APICallError.isInstance(thrown)) {
    const network = networkCode(thrown);
    // A broken stream is wrapped with its initial status 200.
    const status = thrown.statusCode !== undefined && thrown.statusCode >= 300 ? thrown.statusCode : null;
    // Reads the raw answer, because the packages leave out fields.
    // Google's endpoint for OpenAI clients sends an array with one element.
    const data = fieldsOf([parsed(thrown.responseBody) ?? thrown.data].flat()[0]);
    const error = errorIn(data);
    const message = network !== null ? '' : (messageOf(error) ?? stringOf(data.error) ?? stringOf(data.detail) ?? '');
    return {
      status: status ?? statusOf(error),
      codes: codesOf(error),
      message,
      ...timesOf(thrown.responseHeaders ?? {}, error, message),
      network: status === null ? network : null,
      begun: thrown.statusCode !== undefined,
      isLocal: false,
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
    return {
      ...facts,
      status: statusOf(fields),
      codes: codesOf(error),
      message: sent ? thrown.message : '',
      network,
      begun: !isFetchFailure(thrown),
      isLocal: !sent && network === null && statusOf(fields) === null && codesOf(error).trim() === '',
    };
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

function timesOf(
  headers: AnswerHeaders,
  error: Record<string, unknown>,
  message: string,
): Pick<Facts, 'retryAfterMs' | 'limitedMs' | 'monthIsSpent'> {
  const now = Date.now();
  const asked = parseRetryAfterMs(headers, now) ?? retryDelayOf(error, now) ?? retryTimeInWords(message, now);
  const limits = readLimits(headers, now);
  return {
    retryAfterMs: isDayQuota(error) ? Math.max(asked ?? 0, DAY_QUOTA_MS) : asked,
    limitedMs: limits === null ? null : exhaustedMs(limits),
    monthIsSpent: MONTH_HEADERS.some((name) => headers[name] === '0'),
  };
}

/** Mistral's, now and before 2026. */
const MONTH_HEADERS = ['x-ratelimit-remaining-tokens-month', 'x-ratelimitbysize-remaining-month'];

/** Reads Google's retry time: `{"@type": "…RetryInfo", "retryDelay": "34s"}`. */
function retryDelayOf(error: Record<string, unknown>, now: number): number | null {
  for (const { retryDelay } of detailsOf(error)) {
    const delay = stringOf(retryDelay);
    if (delay !== null) return parseTimeMs(delay, now);
  }
  return null;
}

/** Reads Google's `QuotaFailure`: `{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}`. */
function isDayQuota(error: Record<string, unknown>): boolean {
  return detailsOf(error)
    .flatMap(({ violations }) => (Array.isArray(violations) ? violations : []))
    .some((violation) => /PerDay/i.test(stringOf(fieldsOf(violation).quotaId) ?? ''));
}

function detailsOf({ details }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(details) ? details.map(fieldsOf) : [];
}

/** Returns whether a request failed before its answer began. */
function isFetchFailure(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth += 1)
    if (at instanceof TypeError && at.message === 'fetch failed') return true;
  return false;
}

const MAX_CAUSES = 6;

/** Finds the system's network error code along the causes. */
export function networkCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth += 1) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^(E(?!RR_)[A-Z_]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/.test(code))
      return code;
    if (at instanceof TypeError && /terminated|fetch failed/.test(at.message) && at.cause === undefined)
      return 'connection lost';
  }
  return null;
}

/**
 * Google and ElevenLabs use `status`, Deepgram `err_code` and `category`, fal `error_type`. Google's details are more
 * precise.
 */
function codesOf(error: Record<string, unknown>): string {
  const { code, type, status, err_code, category, error_type } = error;
  return [code, type, status, err_code, category, error_type, ...detailsOf(error).map(({ reason }) => reason)]
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
