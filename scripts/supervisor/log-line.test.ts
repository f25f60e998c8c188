import { expect, test } from 'vitest';
import { parseLogLine } from './log-line.ts';

test('a log record becomes its message and its other fields', () => {
  const record = {
    level: 'warn',
    time: '2026-11-20T05:46:00.000Z',
    pid: 7,
    name: 'api',
    request_id: 'req_1',
    msg: 'provider is slow',
    err: { message: 'timeout', stack: 'Error: timeout\n    at call' },
  };
  expect(parseLogLine(JSON.stringify(record), 'stdout')).toEqual({
    severity: 'warn',
    text: 'provider is slow  request_id=req_1  Error: timeout\n        at call',
    time: Date.parse('2026-11-20T05:46:00.000Z'),
    isRecord: true,
  });
});

test.each([
  [{ level: 20, msg: 'a' }, 'debug'],
  [{ level: 30, msg: 'a' }, 'info'],
  [{ level: 40, msg: 'a' }, 'warn'],
  [{ level: 60, msg: 'a' }, 'error'],
  [{ level: 'fatal', msg: 'a' }, 'error'],
  [{ level: 'trace', msg: 'a' }, 'debug'],
  [{ msg: 'a' }, 'info'],
])('%j is of severity %s', (record, severity) => {
  expect(parseLogLine(JSON.stringify(record), 'stdout').severity).toBe(severity);
});

test('Redis warnings are warnings, its notices are not', () => {
  const warning = parseLogLine('12:M 20 Nov 2026 05:46:00.123 # Out of memory', 'stdout');
  expect(warning).toMatchObject({ severity: 'warn', text: 'Out of memory' });
  expect(parseLogLine('12:M 20 Nov 2026 05:46:00.123 * Ready', 'stdout').severity).toBe('debug');
});

test.each(['not json', '{"broken": ', '[1]', '{"answer": 42}'])('%s is shown as it is', (line) => {
  expect(parseLogLine(line, 'stderr')).toEqual({ severity: 'error', text: line, isRecord: false });
  expect(parseLogLine(line, 'stdout').severity).toBe('info');
});
