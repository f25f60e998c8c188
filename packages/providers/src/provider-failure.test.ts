import { APICallError, TypeValidationError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { TruncatedStream } from './failure-facts.ts';
import { toFailure } from './provider-failure.ts';

const context = { provider: 'compatible', secrets: ['hunter2'] };

function answered(statusCode: number, body: unknown, headers: Record<string, string> = {}) {
  return new APICallError({
    message: 'from the package',
    url: 'https://user:pass@host/v1',
    requestBodyValues: { messages: ['private words'] },
    statusCode,
    responseHeaders: headers,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

// Answers from OpenAI-like servers: OpenAI, Ollama, vLLM, llama.cpp, OpenRouter, Azure, FastAPI, proxies.
test.each([
  [answered(404, { error: "model 'x' not found, try pulling it first" }), 'model_not_found', 'never'],
  [
    answered(404, { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 }),
    'model_not_found',
    'never',
  ],
  [answered(404, '<html>not here</html>'), 'provider_error', 'never'],
  [
    answered(400, [{ error: { code: 400, message: 'The prompt is too long', status: 'INVALID_ARGUMENT' } }]),
    'context_too_long',
    'never',
  ],
  [answered(308, '', { location: 'https://host/v1/' }), 'provider_error', 'never'],
  [
    answered(400, {
      error: {
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
        code: 400,
      },
    }),
    'context_too_long',
    'never',
  ],
  [
    answered(400, {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens.",
      type: 'BadRequestError',
      code: 400,
    }),
    'context_too_long',
    'never',
  ],
  [
    answered(400, { error: { message: 'Input is too long', code: 'context_length_exceeded' } }),
    'context_too_long',
    'never',
  ],
  [
    answered(400, { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } }),
    'context_too_long',
    'never',
  ],
  [
    answered(400, {
      error: { message: 'The response was filtered due to content management policy', code: 'content_filter' },
    }),
    'content_refused',
    'never',
  ],
  [
    answered(403, { error: { message: 'Your input was flagged by moderation', code: 403 } }),
    'content_refused',
    'never',
  ],
  [answered(400, { error: { message: 'max_tokens must be at least 1' } }), 'invalid_request', 'never'],
  [answered(422, { detail: 'temperature: too hot' }), 'invalid_request', 'never'],
  [answered(402, { error: { message: 'Insufficient credits' } }), 'provider_rate_limited', 'stopped'],
  [answered(429, 'slow down', { 'retry-after': '3' }), 'provider_rate_limited', 'slow_down'],
  [answered(503, '<html>gateway</html>'), 'provider_unavailable', 'away'],
  [
    answered(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    'provider_unavailable',
    'slow_down',
  ],
  [{ message: 'Rate limit reached', code: 'rate_limit_exceeded' }, 'provider_rate_limited', 'slow_down'],
  [{ message: 'upstream died', code: 502 }, 'provider_unavailable', 'away'],
  [new TypeValidationError({ value: { error: 'out of memory' }, cause: null }), 'provider_error', 'away'],
  [
    new TypeValidationError({ value: { object: 'error', message: 'Slow down', type: 'rate_limit' }, cause: null }),
    'provider_rate_limited',
    'slow_down',
  ],
  [
    new TypeValidationError({ value: { error: { message: 'no', code: 'content_filter' } }, cause: null }),
    'content_refused',
    'never',
  ],
  [new TypeValidationError({ value: { message: 'hunter2' }, cause: null }), 'provider_error', 'away'],
  [new TypeError('x is not a function: hunter2'), 'provider_error', 'never'],
  ['plain words', 'provider_error', 'away'],
  [undefined, 'provider_error', 'away'],
])('case %#: %s', (thrown, code, failureClass) => {
  const failure = toFailure(thrown, context);
  expect(failure.error.code).toBe(code);
  expect(failure.class).toBe(failureClass);
  expect(failure.error.cause).toBeUndefined();
  expect(failure.error.message).not.toMatch(/hunter2|private words|user:pass|<html>/);
});

test('repeats the provider’s message, shortened and in one line', () => {
  expect(toFailure(answered(422, { detail: 'temperature: too hot' }), context).error.message).toBe(
    'compatible did not accept the request (HTTP 422): temperature: too hot',
  );
  expect(
    toFailure(new TypeValidationError({ value: { error: 'out of memory' }, cause: null }), context).error.message,
  ).toBe('compatible failed: out of memory');
});

test("quotes the provider's word for a failed answer", () => {
  const { error, class: failureClass } = toFailure(new TruncatedStream('MALFORMED_FUNCTION_CALL'), context);
  expect([error.message, failureClass]).toEqual([
    'compatible failed: it ended its answer with MALFORMED_FUNCTION_CALL',
    'away',
  ]);
  expect(toFailure(new TruncatedStream(), context).error.message).toContain('The connection broke');
});
