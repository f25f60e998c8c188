import { expect, test } from 'vitest';
import { toErrorBody } from './error-body.ts';
import { ChorusError } from './errors/index.ts';
import { openAiStatus, toOpenAiError } from './openai-error.ts';

test.each([
  ['body.input.3', 'input[3]'],
  ['body.messages.0.content.12.image_url', 'messages[0].content[12].image_url'],
  ['body', null],
  ['query.limit', 'limit'],
  ['headers.x-scope-type', 'headers.x-scope-type'],
  ['bodywork', 'bodywork'],
])('the field %s is the parameter %s', (path, param) => {
  const error = new ChorusError('invalid_request', `${path}: is wrong`, { details: [{ path, message: 'is wrong' }] });
  const shown = {
    message: `${param ?? path}: is wrong`,
    type: 'invalid_request_error',
    param,
    code: 'invalid_request',
  };
  expect(toOpenAiError(toErrorBody(error, 'req'))).toEqual(shown);
});

test.each([
  ['unauthorized', 'authentication_error'],
  ['role_forbidden', 'permission_error'],
  ['route_not_found', 'not_found_error'],
  ['provider_rate_limited', 'rate_limit_error'],
  ['provider_error', 'server_error'],
  ['provider_unavailable', 'server_error'],
  ['overloaded', 'server_error'],
  ['invalid_scope', 'invalid_request_error'],
  ['session_locked', 'invalid_request_error'],
] as const)('%s has the type %s', (code, type) => {
  const body = toErrorBody(new ChorusError(code, 'No.', { extra: { active_execution_id: 'job_1' } }), 'req');
  expect(toOpenAiError(body)).toEqual({ message: 'No.', type, param: null, code });
});

test("a conversation that is too long has OpenAI's code", () => {
  const error = toOpenAiError(toErrorBody(new ChorusError('context_too_long', 'No.'), 'req'));
  expect(error.code).toBe('context_length_exceeded');
});

test('an unknown model is 404 for OpenAI, and other errors keep their status', () => {
  const codes = ['model_not_found', 'invalid_request', 'not_found', 'provider_error'] as const;
  expect(codes.map((code) => openAiStatus(toErrorBody(new ChorusError(code, 'No.'), 'req')))).toEqual([
    404, 400, 404, 502,
  ]);
  expect(toOpenAiError(toErrorBody(new ChorusError('model_not_found', 'No.'), 'req')).type).toBe(
    'invalid_request_error',
  );
});
