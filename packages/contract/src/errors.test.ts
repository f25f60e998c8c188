import { expect, test } from 'vitest';
import { ChorusError, ERRORS, type ErrorCode, errorBody, toErrorBody } from './errors.ts';

test.each(Object.keys(ERRORS) as ErrorCode[])('%s has a status of an error, and a body of the shape', (code) => {
  const error = new ChorusError(code, 'What happened.');
  expect(error.status).toBe(ERRORS[code].status);
  expect(error.status).toBeGreaterThanOrEqual(400);
  const body = toErrorBody(error, 'req_1');
  expect(errorBody.parse(body)).toEqual(body);
  expect(body).toMatchObject({ code, message: 'What happened.', details: [], request_id: 'req_1' });
});

test('a body says where the mistake is and what else is known, never why', () => {
  const error = new ChorusError('session_locked', 'Locked.', {
    details: [{ path: 'body.session_id', message: 'is locked' }],
    extra: { active_execution_id: 'job_1' },
    cause: new Error('connection string with a password'),
  });
  expect((error.cause as Error).message).toContain('password');
  const body = toErrorBody(error, null);
  expect(body).toMatchObject({ status: 409, details: [{ path: 'body.session_id' }], active_execution_id: 'job_1' });
  expect(JSON.stringify(body)).not.toContain('password');
});

test('what else is known can not pass for the error itself', () => {
  const error = new ChorusError('not_found', 'No.', { extra: { code: 'ok', status: 200, message: 'Yes.' } });
  expect(toErrorBody(error, null)).toMatchObject({ code: 'not_found', status: 404, message: 'No.' });
});
