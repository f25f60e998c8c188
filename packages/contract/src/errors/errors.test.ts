import { expect, test } from 'vitest';
import { errorBody, toErrorBody } from '../error-body.ts';
import { ChorusError, ERRORS, type ErrorCode } from './index.ts';

test.each(Object.keys(ERRORS) as ErrorCode[])('%s has an error status and a valid body', (code) => {
  const error = new ChorusError(code, 'Something failed.');
  expect(error.status).toBe(ERRORS[code].status);
  expect(error.status).toBeGreaterThanOrEqual(400);
  const body = toErrorBody(error, 'req_1');
  expect(errorBody.parse(body)).toEqual(body);
  expect(body).toMatchObject({ code, message: 'Something failed.', details: [], request_id: 'req_1' });
});

test('a body has details and extra fields, never the cause', () => {
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

test('extra fields cannot override the error', () => {
  const error = new ChorusError('not_found', 'No.', { extra: { code: 'ok', status: 200, message: 'Yes.' } });
  expect(toErrorBody(error, null)).toMatchObject({ code: 'not_found', status: 404, message: 'No.' });
});
