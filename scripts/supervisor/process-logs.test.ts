import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from './log-file.ts';
import type { ProcessDefinition } from './process-definition.ts';
import { ProcessLogs } from './process-logs.ts';
import { Terminal } from './terminal.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chorus-logs-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const api: ProcessDefinition = {
  name: 'api',
  command: 'node',
  args: [],
  environment: {},
  stopStage: 0,
  readiness: 'report',
};

function logsOnScreen(least: 'debug' | 'warn') {
  const screen = new PassThrough();
  const logs = new ProcessLogs(folder, new Terminal(screen as unknown as NodeJS.WriteStream, least));
  return { logs, shown: () => screen.read()?.toString() ?? '' };
}

test('all lines go to the file of the process, warnings to the terminal too', () => {
  const { logs, shown } = logsOnScreen('warn');
  logs.take(api, '{"level":"info","msg":"listening"}', 'stdout', true);
  logs.take(api, '{"level":"warn","msg":"slow \\u001b[31mred"}', 'stdout', true);
  const screen = shown();
  expect(screen).toContain('slow red');
  expect(screen).not.toContain('listening');
  expect(readFileSync(logs.pathOf('api'), 'utf8').split('\n')).toHaveLength(3);
  logs.close();
});

test('a repeated message is on the terminal once, and in the file each time', () => {
  const { logs, shown } = logsOnScreen('warn');
  const line = '{"level":"warn","msg":"redis","err":{"stack":"Error: connect ECONNREFUSED"}}';
  for (let time = 0; time < 5; time += 1) logs.take(api, line, 'stdout', true);
  logs.take({ ...api, name: 'worker' }, line, 'stdout', true);
  const all = shown() + shown();
  expect(all.match(/ECONNREFUSED/g)).toHaveLength(2);
  expect(all).toContain('worker');
  expect(readFileSync(logs.pathOf('api'), 'utf8').split('\n')).toHaveLength(6);
  logs.close();
});

test('an error that is printed with all its properties is still the reason', () => {
  const { logs } = logsOnScreen('warn');
  logs.take(api, 'MongooseServerSelectionError: connect ECONNREFUSED', 'stderr', false);
  for (let line = 0; line < 60; line += 1) logs.take(api, `      error: null, // ${line}`, 'stderr', false);
  for (const line of ['}', 'Node.js v26']) logs.take(api, line, 'stderr', false);
  expect(logs.reason('api')).toBe('MongooseServerSelectionError: connect ECONNREFUSED');
  logs.close();
});

test('at the level debug, every line is shown', () => {
  const { logs, shown } = logsOnScreen('debug');
  logs.take(api, '{"level":"debug","msg":"detail"}', 'stdout', true);
  expect(shown()).toContain('detail');
  logs.close();
});

test('the stack of a process that ends before it is ready is not shown line by line, but kept', () => {
  const { logs, shown } = logsOnScreen('warn');
  for (const line of ['throw err;', 'TypeError: no such thing', '    at call', 'Node.js v26']) {
    logs.take(api, line, 'stderr', false);
  }
  expect(shown()).toBe('');
  expect(logs.reason('api')).toBe('TypeError: no such thing');
  expect(logs.errors('api')).toHaveLength(4);
  logs.begin('api');
  expect(logs.reason('api')).toBeUndefined();
  logs.close();
});

test('a log keeps to its size, with one older file', () => {
  const path = join(folder, 'big.log');
  const log = new LogFile(path, 100);
  for (let line = 0; line < 50; line += 1) log.write(`line ${line} of the log`);
  log.close();
  expect(statSync(path).size).toBeLessThanOrEqual(100);
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(100);
  expect(readFileSync(path, 'utf8')).toContain('line 49');
});
