import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ProcessDefinition } from './process-definition.ts';
import { identityOf } from './process-identity.ts';
import type { ProcessObserver } from './supervised-process.ts';
import { Supervisor } from './supervisor.ts';

const supervisors: Supervisor[] = [];

afterEach(async () => {
  for (const supervisor of supervisors.splice(0)) {
    supervisor.kill();
    await supervisor.stop();
  }
});

function definition(name: string, program: string, rest: Partial<ProcessDefinition> = {}): ProcessDefinition {
  const defaults = { environment: {}, stopStage: 0, readiness: 'report' as const };
  return { name, command: process.execPath, args: ['-e', program], ...defaults, ...rest };
}

const restart = { firstDelayMs: 5, maxDelayMs: 20, healthyAfterMs: 60_000, maxFailedStarts: 3 };
const ready = "require('fs').writeSync(3, JSON.stringify({ ready: true }) + '\\n');";

/** Starts them, and collects the delays before each restart until there are `count`. */
function delaysOf(definitions: ProcessDefinition[], count: number, policy = restart): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const delays: number[] = [];
  supervise(definitions, {
    restart: policy,
    ended: (_definition, _pid, _exit, restartInMs) => {
      if (restartInMs !== undefined) delays.push(restartInMs);
      if (delays.length === count) resolve(delays);
    },
  }).start();
  return promise;
}

function supervise(
  definitions: ProcessDefinition[],
  {
    restart: policy = restart,
    stageMs = 500,
    ...observed
  }: Partial<ProcessObserver> & { restart?: typeof restart; stageMs?: number } = {},
): Supervisor {
  const observer = { spawned: () => {}, ready: () => {}, ended: () => {}, line: () => {}, ...observed };
  const supervisor = new Supervisor(definitions, { observer, restart: policy, graceMs: 2000, stageMs });
  supervisors.push(supervisor);
  return supervisor;
}

test('the delay before a restart doubles up to its limit', async () => {
  const dying = definition('dying', `${ready} process.exit(1)`);
  expect(await delaysOf([dying], 5)).toEqual([5, 10, 20, 20, 20]);
});

test('a process that was healthy for long enough starts again with the first delay', async () => {
  const dying = definition('dying', `${ready} process.exit(1)`);
  expect(await delaysOf([dying], 4, { ...restart, healthyAfterMs: 0 })).toEqual([5, 5, 5, 5]);
});

test('a program that does not exist is a failed start', async () => {
  const supervisor = supervise([definition('missing', '', { command: '/nowhere/program' })]);
  void supervisor.start();
  const failure = await supervisor.failure;
  expect(failure).toMatchObject({ name: 'missing', reason: 'never-ready', exit: { code: null } });
  expect(failure.exit.error).toContain('ENOENT');
});

test('all processes start together, and their reports are returned', async () => {
  const report = (value: object) => `setInterval(() => {}, 1000);
    require('fs').writeSync(3, JSON.stringify({ ready: true, ...${JSON.stringify(value)} }) + '\\n');`;
  const started: string[] = [];
  const supervisor = supervise(
    [
      definition('first', report({ url: 'http://first' })),
      definition('second', report({ models: ['a/b', { id: 'c/d' }] })),
    ],
    { spawned: ({ name }) => void started.push(name) },
  );
  const starting = supervisor.start();
  expect(started).toEqual(['first', 'second']);
  const reports = await starting;
  expect(reports.get('first')?.url).toBe('http://first');
  expect(reports.get('second')?.models).toEqual(['a/b', 'c/d']);
});

test('each stage has its full time to end, no matter how late the previous one ended', async () => {
  const lines: string[] = [];
  const first = definition('first', `${ready} setInterval(() => {}, 1000);`);
  const second = definition(
    'second',
    `process.on('SIGTERM', () => setTimeout(() => { console.log('in order'); process.exit(); }, 200));
     ${ready} setInterval(() => {}, 1000);`,
    { stopStage: 1 },
  );
  const supervisor = supervise([first, second], {
    stageMs: 20_000,
    ended: ({ name }) => {
      if (name === 'first') vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    },
    line: (_definition, line) => void lines.push(line),
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await supervisor.start();
  await supervisor.stop();
  expect(lines).toEqual(['in order']);
});

test('child processes end with their process', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const parent = definition(
    'parent',
    `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
     console.log(child.pid); ${ready} setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0));`,
  );
  const supervisor = supervise([parent], { line: (_definition, line) => resolve(Number(line)) });
  await supervisor.start();
  const grandchild = await promise;
  expect(identityOf(grandchild)).toBeDefined();
  await supervisor.stop();
  await expect.poll(() => identityOf(grandchild)).toBeUndefined();
});
