import { ChorusError } from '@chorus/client';
import { expect, test } from 'vitest';
import '../i18n/use-english.ts';
import { describeError, formErrors } from './describe-error.ts';

const mistake = (...details: { path: string; message: string }[]) =>
  new ChorusError('invalid_request', `${details[0]?.path}: ${details[0]?.message}`, { status: 400, details });

test('shows each mistake at its field, as a sentence', () => {
  const error = mistake(
    { path: 'body.name', message: 'must have at most 100 characters' },
    { path: 'body.name', message: 'must not be blank' },
    { path: 'body.headers.Host', message: 'is set by the client; leave out `Host`.' },
  );
  expect(formErrors(error, ['name', 'headers'])).toEqual({
    at: { name: 'Must have at most 100 characters.', headers: 'Is set by the client; leave out Host.' },
    rest: null,
  });
});

test('keeps what belongs to no field of the form', () => {
  const unknown = mistake({ path: 'body.name', message: 'is taken' }, { path: 'body.names', message: 'is unknown' });
  expect(formErrors(unknown, ['name'])).toEqual({ at: { name: 'Is taken.' }, rest: unknown });
  const lost = new ChorusError('connection_lost', 'the server cannot be reached', { status: 0 });
  expect(formErrors(lost, ['name'])).toEqual({ at: {}, rest: lost });
  expect(formErrors(null, ['name'])).toEqual({ at: {}, rest: null });
});

test('describes known errors with catalogue messages, and others with those of the API', () => {
  const full = new ChorusError('overloaded', 'too many jobs', { status: 503, requestId: 'req_1' });
  expect(describeError(full)).toMatchObject({ title: 'The queue is full', requestId: 'req_1' });
  const [name, url] = ['body.name', 'body.url'].map((path) => ({ path, message: 'is required' }));
  expect(describeError(mistake(name!, url!))).toMatchObject({ title: 'name: is required', advice: 'url: is required' });
});
