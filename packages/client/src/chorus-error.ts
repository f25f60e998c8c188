import type { Error as ErrorBody } from './generated/api-types.ts';

/** Codes of errors that the client itself raises. */
export type ClientErrorCode =
  /** No response, or an incomplete one: the network or the server is down. */
  | 'connection_lost'
  /** No response in time. */
  | 'request_timeout'
  /** The response is not from Chorus: a proxy, or a wrong address. */
  | 'unexpected_answer'
  /** The login has ended. */
  | 'logged_out';

export interface ChorusErrorFacts {
  /** HTTP status; 0 where no answer came. */
  status: number;
  details?: ErrorBody['details'];
  requestId?: string | null;
  retryAfterMs?: number | null;
  retryable?: boolean;
  /** Other fields of the error body, such as `active_execution_id`. */
  extra?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** The error of every failed request. Branch on `code`, or on the class. */
export class ChorusError extends Error {
  override readonly name: string = 'ChorusError';
  /** A code of the API, or a `ClientErrorCode`. */
  readonly code: string;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Issues in the request, each with the path of its field. */
  readonly details: ErrorBody['details'];
  /** Identifies the request in the server's logs. */
  readonly requestId: string | null;
  /** Pause after which a retry may help. Null if unknown. */
  readonly retryAfterMs: number | null;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Other fields of the error body, such as `active_execution_id`. */
  readonly extra: Readonly<Record<string, unknown>>;

  /** Use `chorusError`, which chooses the class. */
  constructor(code: string, message: string, facts: ChorusErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.retryable = facts.retryable ?? false;
    this.extra = facts.extra ?? {};
  }
}

/** The request is invalid: see `details`. 400, 413, 415, 422, and other statuses below 500. */
export class InvalidRequestError extends ChorusError {
  override readonly name = 'InvalidRequestError';
}

/** The credentials are missing, wrong, or expired. 401, and `logged_out`. */
export class AuthenticationError extends ChorusError {
  override readonly name = 'AuthenticationError';
}

/** The role or the API key does not allow this. 403. */
export class PermissionError extends ChorusError {
  override readonly name = 'PermissionError';
}

/** The record does not exist in the scope. 404 and 410. */
export class NotFoundError extends ChorusError {
  override readonly name = 'NotFoundError';
}

/** The record is in another state, or has a newer revision. 409 and 412. */
export class ConflictError extends ChorusError {
  override readonly name = 'ConflictError';
}

/** Too many requests, or a limit or budget is used up. 429; see `retryAfterMs`. */
export class RateLimitError extends ChorusError {
  override readonly name = 'RateLimitError';
}

/** The server or a provider failed, or is overloaded. 500 and above. */
export class ServerError extends ChorusError {
  override readonly name = 'ServerError';
}

/** There was no response: `connection_lost` or `request_timeout`. */
export class ConnectionError extends ChorusError {
  override readonly name = 'ConnectionError';
}

const CLASSES: Readonly<Record<number, typeof ChorusError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  412: ConflictError,
  429: RateLimitError,
};

/** Creates the error of a code and status. */
export function chorusError(code: string, message: string, facts: ChorusErrorFacts): ChorusError {
  return new (classOf(code, facts.status))(code, message, facts);
}

function classOf(code: string, status: number): typeof ChorusError {
  if (code === 'connection_lost' || code === 'request_timeout') return ConnectionError;
  if (code === 'logged_out') return AuthenticationError;
  if (code === 'unexpected_answer') return ChorusError;
  if (status >= 500) return ServerError;
  return CLASSES[status] ?? (status >= 400 ? InvalidRequestError : ChorusError);
}

/** Statuses after which a retry may help. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** Returns the error of a response. Reads its body. */
export async function errorFromResponse(response: Response): Promise<ChorusError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  const facts = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
    retryable: headers.get('x-should-retry') !== 'false' && RETRYABLE_STATUSES.has(status),
  };
  const body = parseErrorBody(text);
  if (body === null) {
    const message = `The server answered with status ${status}, but not in the form of Chorus. Check baseUrl.`;
    return chorusError('unexpected_answer', message, facts);
  }
  const { code, message, details, request_id, status: _status, docs: _docs, ...extra } = body;
  return chorusError(code, message, {
    ...facts,
    details: details ?? [],
    requestId: request_id ?? facts.requestId,
    // The request with this key is still running: ours, whose response was lost.
    retryable: facts.retryable || code === 'idempotency_in_flight',
    extra,
  });
}

/** Returns the error of a failed execution or batch item. */
export function errorFromBody({ code, message, status, details, request_id }: ErrorBody): ChorusError {
  return chorusError(code, message, { status, details, requestId: request_id });
}

function parseErrorBody(text: string): (Partial<ErrorBody> & { code: string; message: string }) | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as never) : null;
  } catch {
    return null;
  }
}

/** Parses `Retry-After`: seconds, or a date. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
