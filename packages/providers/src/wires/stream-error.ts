import { APICallError } from '@ai-sdk/provider';

/** An error in a stream, in the form of OpenAI and others. */
export interface SentError {
  message?: unknown;
  code?: unknown;
  type?: unknown;
}

const STATUSES: readonly [RegExp, number][] = [
  [/insufficient_quota|rate_limit/, 429],
  [/authentication/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/too_large/, 413],
  [/invalid|bad_request|context_length/, 400],
  [/overload|service_unavailable/, 503],
  [/timeout/, 504],
];

/** Converts an error in the stream to the HTTP error that it would have been at the start. */
export function streamError(error: SentError): APICallError {
  const code = typeof error.code === 'string' && /^\d{3}$/.test(error.code) ? Number(error.code) : error.code;
  const own = typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
  const words = `${error.code ?? ''} ${error.type ?? ''}`.toLowerCase();
  return new APICallError({
    message: 'Error in the stream',
    url: '',
    requestBodyValues: {},
    statusCode: own ?? STATUSES.find(([pattern]) => pattern.test(words))?.[1] ?? 500,
    responseBody: JSON.stringify({ error }),
  });
}
