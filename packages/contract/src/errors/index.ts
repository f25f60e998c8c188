export { issueMessage } from './issue-message.ts';

/**
 * All error codes of the platform, with HTTP status and whether a retry may help. Clients branch on `code`.
 * `openAiStatus` is the status under `/openai/v1` and `/anthropic`, and `openAiCode` the code under `/openai/v1`, where
 * they differ: clients choose their exception by them.
 */
export const ERRORS = {
  invalid_json: { status: 400, retryable: false },
  invalid_request: { status: 400, retryable: false },
  url_not_allowed: { status: 400, retryable: false },
  model_not_found: { status: 400, openAiStatus: 404, retryable: false },
  previous_response_not_found: { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  invalid_credentials: { status: 401, retryable: false },
  totp_required: { status: 401, retryable: false },
  invalid_totp_code: { status: 401, retryable: false },
  sso_failed: { status: 401, retryable: false },
  authorization_pending: { status: 400, retryable: false },
  slow_down: { status: 400, retryable: false },
  access_denied: { status: 400, retryable: false },
  expired_token: { status: 400, retryable: false },
  token_expired: { status: 401, retryable: false },
  refresh_token_reused: { status: 401, retryable: false },
  conflicting_credentials: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  workspace_forbidden: { status: 403, retryable: false },
  role_forbidden: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  route_not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  session_locked: { status: 409, retryable: true },
  conflict: { status: 409, retryable: true },
  last_owner: { status: 409, retryable: false },
  key_revoked: { status: 409, retryable: false },
  job_running: { status: 409, retryable: true },
  already_decided: { status: 409, retryable: false },
  job_not_retryable: { status: 409, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  storage_full: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  range_not_satisfiable: { status: 416, retryable: false },
  invalid_scope: { status: 422, retryable: false },
  invalid_header: { status: 422, retryable: false },
  idempotency_in_flight: { status: 409, retryable: true },
  idempotency_mismatch: { status: 422, retryable: false },
  rate_limited: { status: 429, retryable: true },
  limit_reached: { status: 429, retryable: true },
  budget_exceeded: { status: 429, retryable: false },
  internal_error: { status: 500, retryable: true },
  feature_unavailable: { status: 501, retryable: false },
  overloaded: { status: 503, retryable: true },
  store_unavailable: { status: 503, retryable: true },
  // Errors of executions. Used as HTTP statuses only for OpenAI-style requests that wait for the result.
  download_failed: { status: 502, retryable: true },
  provider_error: { status: 502, retryable: true },
  provider_unavailable: { status: 503, retryable: true },
  provider_rate_limited: { status: 429, retryable: true },
  provider_auth: { status: 502, retryable: false },
  content_refused: { status: 400, retryable: false },
  context_too_long: { status: 400, openAiCode: 'context_length_exceeded', retryable: false },
  no_speech: { status: 400, retryable: false },
  timeout: { status: 504, retryable: true },
  worker_lost: { status: 502, retryable: true },
  approval_expired: { status: 409, retryable: true },
  cost_limit_reached: { status: 400, retryable: false },
  // Errors of batch items that were not run.
  item_not_run: { status: 409, retryable: false },
  expired: { status: 409, retryable: false },
  reference_not_found: { status: 400, retryable: false },
  cancelled: { status: 409, retryable: false },
} as const satisfies Record<string, { status: number; openAiStatus?: number; openAiCode?: string; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetail {
  /** Location of the issue: `body.message`, `query.limit`, `headers.x-scope-type`. */
  path: string;
  message: string;
}

export interface ChorusErrorOptions {
  details?: ErrorDetail[];
  /** Default: the status of the code. */
  status?: number;
  /** Sent as `Retry-After`. */
  retryAfterS?: number;
  /** More fields of the error body, such as `active_execution_id`. */
  extra?: Record<string, unknown>;
  /** Whether the operation certainly had no effect, so that repeating it is safe. */
  notStarted?: boolean;
  cause?: unknown;
}

/** An error with a code of the table. Other errors become a 500, or fail the execution as internal. */
export class ChorusError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetail[];
  readonly retryAfterS: number | undefined;
  readonly extra: Record<string, unknown>;
  readonly notStarted: boolean;

  constructor(code: ErrorCode, message: string, options: ChorusErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ChorusError';
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.details = options.details ?? [];
    this.retryAfterS = options.retryAfterS;
    this.extra = options.extra ?? {};
    this.notStarted = options.notStarted ?? (this.status < 500 || code === 'overloaded');
  }
}

/** Returns whether an error means that a store is unavailable, so that a retry may help. */
export const isStoreUnavailable = (error: unknown): error is ChorusError =>
  error instanceof ChorusError && error.code === 'store_unavailable';

/** Marks an error as thrown before anything had an effect. Returns other errors unchanged. */
export function asNotStarted(error: unknown): unknown {
  if (!(error instanceof ChorusError) || error.notStarted) return error;
  const { code, status, message, details, retryAfterS, extra } = error;
  const same = { status, details, extra, ...(retryAfterS !== undefined && { retryAfterS }) };
  return new ChorusError(code, message, { ...same, notStarted: true, cause: error });
}
