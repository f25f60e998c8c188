import { expect, test } from 'vitest';
import { anthropicStatus, toAnthropicError } from './anthropic-error.ts';
import { toErrorBody } from './error-body.ts';
import { ChorusError } from './errors/index.ts';

test.each([
  ['The model takes 9 tokens.', 'prompt is too long: The model takes 9 tokens.'],
  ['x: Prompt is too long', 'x: Prompt is too long'],
])('a conversation that is too long has the words that clients look for: %s', (message, expected) => {
  expect(toAnthropicError(toErrorBody(new ChorusError('context_too_long', message), 'req')).error.message).toBe(
    expected,
  );
});

test.each([
  ['invalid_request', 400, 'invalid_request_error'],
  ['unauthorized', 401, 'authentication_error'],
  ['role_forbidden', 403, 'permission_error'],
  ['model_not_found', 404, 'not_found_error'],
  ['session_locked', 409, 'invalid_request_error'],
  ['payload_too_large', 413, 'request_too_large'],
  ['budget_exceeded', 429, 'rate_limit_error'],
  ['internal_error', 500, 'api_error'],
  ['provider_error', 502, 'api_error'],
  ['provider_unavailable', 529, 'overloaded_error'],
  ['timeout', 504, 'timeout_error'],
  ['overloaded', 529, 'overloaded_error'],
  ['store_unavailable', 529, 'overloaded_error'],
] as const)('%s has status %d and type %s', (code, status, type) => {
  const body = toErrorBody(new ChorusError(code, 'body.model: is wrong'), 'req');
  expect(anthropicStatus(body)).toBe(status);
  expect(toAnthropicError(body)).toEqual({
    type: 'error',
    error: { type, message: 'model: is wrong', details: { error_code: code } },
    request_id: 'req',
  });
});
