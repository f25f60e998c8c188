import type { Error as ErrorBody } from './generated/api-types.ts';

/** Codes of errors that the client itself raises. */
export type ClientErrorCode =
  /** No answer came, or it broke off: the network or the server is away. */
  | 'connection_lost'
  /** No answer came in time. */
  | 'request_timeout'
  /** The answer is not from Chorus: a proxy, or a wrong address. */
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

/** The error of every failed request. Branch on `code`. */
export class ChorusError extends Error {
  /** A code of the API, or a `ClientErrorCode`. */
  readonly code: string;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Mistakes in the request, each with the path of its field. */
  readonly details: ErrorBody['details'];
  /** Identifies the request in the server's logs. */
  readonly requestId: string | null;
  /** Pause after which a retry may help; null if unknown. */
  readonly retryAfterMs: number | null;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Other fields of the error body, such as `active_execution_id`. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, facts: ChorusErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'ChorusError';
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.retryable = facts.retryable ?? false;
    this.extra = facts.extra ?? {};
  }
}

/** Statuses after which a retry may help. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** Returns the error of an answer; reads its body. */
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
    return new ChorusError('unexpected_answer', message, facts);
  }
  const { code, message, details, request_id, status: _status, docs: _docs, ...extra } = body;
  return new ChorusError(code, message, {
    ...facts,
    details: details ?? [],
    requestId: request_id ?? facts.requestId,
    // The request with this key still runs: ours, whose answer was lost.
    retryable: facts.retryable || code === 'idempotency_in_flight',
    extra,
  });
}

/** Returns the error of a failed execution or batch item. */
export function errorFromBody({ code, message, status, details, request_id }: ErrorBody): ChorusError {
  return new ChorusError(code, message, { status, details, requestId: request_id });
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
