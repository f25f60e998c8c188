/** One of the limits that count a request. */
export interface RateLimit {
  /** A class of requests, such as `executions`, or `key` for the limit of an API key. */
  name: string;
  /** Requests per window. */
  limit: number;
  /** Remaining requests. */
  remaining: number;
  /** Time until more requests are allowed. */
  resetMs: number;
  /** Length of the window. */
  windowMs: number;
}

/** Status and headers of a response. */
export interface ResponseFacts {
  /** Method and path of the request, such as `GET /jobs/{job_id}`. */
  operation: string;
  /** HTTP status. */
  status: number;
  /** All headers that this page may read. */
  headers: Headers;
  /** Identifies the request in the server's logs. */
  requestId: string | null;
  /** The limits that counted the request. Empty if none applies. */
  rateLimits: RateLimit[];
}

export function factsOf(operation: string, { status, headers }: Response): ResponseFacts {
  return { operation, status, headers, requestId: headers.get('x-request-id'), rateLimits: rateLimitsOf(headers) };
}

/** Reads the headers `RateLimit` and `RateLimit-Policy` of a response, for example from `chorus.raw`. */
export function rateLimitsOf(headers: Headers): RateLimit[] {
  const policies = new Map(readList(headers.get('ratelimit-policy')));
  return readList(headers.get('ratelimit')).map(([name, state]) => ({
    name,
    limit: policies.get(name)?.q ?? 0,
    remaining: state.r ?? 0,
    resetMs: (state.t ?? 0) * 1_000,
    windowMs: (policies.get(name)?.w ?? 0) * 1_000,
  }));
}

/** Reads `"name";q=100;w=60, …`. */
function readList(header: string | null): [name: string, values: Record<string, number>][] {
  return Array.from((header ?? '').matchAll(/"([^"]*)"((?:;\w+=\d+)*)/g), ([, name = '', values = '']) => [
    name,
    Object.fromEntries(Array.from(values.matchAll(/;(\w+)=(\d+)/g), ([, key, value]) => [key, Number(value)])),
  ]);
}
