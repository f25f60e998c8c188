import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';

/** Facts of a failure from an HTTP answer, an event in the stream or the network. */
export interface Facts {
  status: number | null;
  /** The provider's `code` and `type` in lower case. */
  codes: string;
  message: string;
  retryAfterS: number | null;
  network: string | null;
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

const MAX_REASON = 100;

/** Collects what any error of a provider package says. */
export function factsOf(thrown: unknown): Facts {
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
