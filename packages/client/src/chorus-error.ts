import type { Error as ErrorBody } from './generated/api-types.ts';

/** Codes of errors that no server has answered with. */
export type ClientErrorCode =
  /** No answer came, or it broke off: the network, or the server, is away. */
  | 'connection_lost'
  /** No answer came in time. */
  | 'request_timeout'
  /** What answered does not speak as the platform does: a proxy, or a wrong address. */
  | 'unexpected_answer'
  /** There is nothing to log in with any more. */
  | 'logged_out';

export interface ChorusErrorFacts {
  /** HTTP status; 0 where no answer came. */
  status: number;
  details?: ErrorBody['details'];
  requestId?: string | null;
  retryAfterMs?: number | null;
  retryable?: boolean;
  /** What the error's body says besides, such as `active_execution_id`. */
  extra?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** Whatever goes wrong with a request. Branch on `code`. */
export class ChorusError extends Error {
  /** As in the platform's table of errors, or a `ClientErrorCode`. */
  readonly code: string;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** What is wrong with which part of the request. */
  readonly details: ErrorBody['details'];
  /** Finds the request in the server's logs. */
  readonly requestId: string | null;
  /** How long to wait before the same may help, in milliseconds; null: nobody says. */
  readonly retryAfterMs: number | null;
  /** Whether the same request can help later. */
  readonly retryable: boolean;
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

/** Statuses that say that the same request may help later. */
const PASSING = new Set([429, 502, 503, 504]);

/** The error that an answer tells of. Reads its body. */
export async function errorOfAnswer(response: Response): Promise<ChorusError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  const facts = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterOf(headers.get('retry-after')),
    retryable: headers.get('x-should-retry') !== 'false' && PASSING.has(status),
  };
  const body = errorIn(text);
  if (body === null) {
    const message = `The server answered with status ${status}, and not as the platform does.`;
    return new ChorusError('unexpected_answer', message, facts);
  }
  const { code, message, details, request_id, status: _status, docs: _docs, ...extra } = body;
  return new ChorusError(code, message, {
    ...facts,
    details: details ?? [],
    requestId: request_id ?? facts.requestId,
    // Another request with the same key is at work: ours, whose answer was lost.
    retryable: facts.retryable || code === 'idempotency_in_flight',
    extra,
  });
}

/** The error that a failed execution, or an item of a batch, ended with. */
export function errorOfBody({ code, message, status, details, request_id }: ErrorBody): ChorusError {
  return new ChorusError(code, message, { status, details, requestId: request_id });
}

function errorIn(text: string): (Partial<ErrorBody> & { code: string; message: string }) | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as never) : null;
  } catch {
    return null;
  }
}

/** `Retry-After` in milliseconds: seconds, or a date. */
function retryAfterOf(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
