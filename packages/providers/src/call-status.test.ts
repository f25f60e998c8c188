import { expect, test } from 'vitest';
import { CallStatus } from './call-status.ts';

test('follows the last call, then the last list, and expires both', () => {
  const status = new CallStatus();
  expect(status.current(0)).toBe('unknown');
  status.listed(true, 0);
  expect(status.current(1)).toBe('ok');
  status.called(false, 2);
  status.listed(true, 3);
  expect(status.current(4)).toBe('failing');
  status.called(true, 5);
  status.listed(false, 240_000);
  expect(status.current(240_001)).toBe('ok');
  expect(status.current(400_000)).toBe('failing');
  expect(status.current(10_000_000)).toBe('unknown');
});
