import '../i18n/use-english.ts';
import type { FeedFrame } from '@chorus/client';
import { expect, test } from 'vitest';
import { noticeOf } from './notice.ts';

const event = (type: string, over: object = {}) =>
  ({
    ...{ type, surface: 'chat', session_id: 'ses_1', execution_id: 'job_1', user_id: 'usr_1', duration_ms: 21_000 },
    ...over,
  }) as unknown as FeedFrame;

const titleOf = (frame: FeedFrame) => noticeOf(frame, 'usr_1')?.title ?? null;

test('reports the end of long answers, and answers that wait', () => {
  expect(titleOf(event('execution.succeeded'))).toBe('The answer is ready');
  expect(titleOf(event('execution.failed'))).toBe('The answer failed');
  expect(titleOf(event('execution.requires_action', { duration_ms: undefined }))).toMatch(/approval/);
});

test('reports nothing that the user has not waited for', () => {
  const silent = [
    event('execution.succeeded', { duration_ms: 19_000 }),
    event('execution.succeeded', { duration_ms: null }),
    event('execution.succeeded', { user_id: 'usr_2' }),
    event('execution.succeeded', { session_id: null }),
    event('execution.succeeded', { surface: 'iris' }),
    event('execution.cancelled'),
    event('execution.started', { duration_ms: undefined }),
    event('session.updated', { surface: undefined }),
  ];
  expect(silent.map(titleOf)).toEqual(silent.map(() => null));
});
