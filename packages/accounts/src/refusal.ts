import { ChorusError } from '@chorus/contract';
import { isRedisAway } from '@chorus/events';

/** The error that a caller is told of for whatever was thrown. What is no ChorusError is a 500 that shows nothing. */
export function refusalOf(thrown: unknown): ChorusError {
  if (thrown instanceof ChorusError) return thrown;
  if (isRedisAway(thrown)) {
    return new ChorusError('store_unavailable', 'Redis does not answer; try again shortly.', {
      retryAfterS: 2,
      cause: thrown,
    });
  }
  return new ChorusError('internal_error', 'Something went wrong on our side. The request id finds it in the logs.');
}

/** The headers that an answer with this error has: how to log in, and when to come again. */
export function refusalHeaders(error: ChorusError): Record<string, string> {
  const { status } = error;
  return {
    ...(status === 401 && { 'WWW-Authenticate': challenge(error) }),
    ...((status === 409 || status === 429 || status === 503) && {
      'Retry-After': String(Math.max(1, Math.ceil(error.retryAfterS ?? 1))),
    }),
    // OpenAI's clients would send a 409 again by themselves.
    ...(status === 409 && { 'x-should-retry': 'false' }),
  };
}

/** RFC 6750, section 3: without a token no error is named. */
function challenge(error: ChorusError): string {
  const realm = 'Bearer realm="chorus"';
  return error.code === 'token_expired' ? `${realm}, error="invalid_token", error_description="expired"` : realm;
}
