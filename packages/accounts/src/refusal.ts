import { ChorusError } from '@chorus/contract';
import { isRedisUnavailable } from '@chorus/events';

/** Maps anything thrown to the error that the caller sees. Unknown errors become an opaque 500. */
export function refusalOf(thrown: unknown): ChorusError {
  if (thrown instanceof ChorusError) return thrown;
  if (isRedisUnavailable(thrown)) {
    return new ChorusError('store_unavailable', 'Redis does not respond. Try again shortly.', {
      retryAfterS: 2,
      cause: thrown,
    });
  }
  return new ChorusError('internal_error', 'Something went wrong on our side. Look for the request id in the logs.');
}

/** Returns the headers of an error response: how to authenticate and when to retry. */
export function refusalHeaders(error: ChorusError): Record<string, string> {
  const { status } = error;
  return {
    ...(status === 401 && { 'WWW-Authenticate': challenge(error) }),
    ...((status === 409 || status === 429 || status === 503) && {
      'Retry-After': String(Math.max(1, Math.ceil(error.retryAfterS ?? 1))),
    }),
    // OpenAI clients would otherwise retry a 409.
    ...(status === 409 && { 'x-should-retry': 'false' }),
  };
}

/** RFC 6750, section 3: requests without a token get no error code. */
function challenge(error: ChorusError): string {
  const realm = 'Bearer realm="chorus"';
  return error.code === 'token_expired' ? `${realm}, error="invalid_token", error_description="expired"` : realm;
}
