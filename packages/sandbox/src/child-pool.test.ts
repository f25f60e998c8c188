import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@chorus/runtime/log';
import { expect, onTestFinished, test } from 'vitest';
import { ChildPool, CpuTimeout, cpuBudget, type PoolOptions, type RunOptions, TaskTimeout } from './child-pool.ts';
import { cpuTimeOf } from './process-usage.ts';
import { find } from './protection.ts';
import { ChildGone, OutOfMemory, type TaskChildOptions } from './task-child.ts';
import type { HostileTask } from './test-hostile-main.ts';

const program = fileURLToPath(new URL('./test-hostile-main.ts', import.meta.url));
const log = createLogger({ name: 'test', level: 'silent' });
const NEVER = { tasks: 1_000, cpuMs: 600_000, memoryShare: 1 };

function openPool(child: Partial<TaskChildOptions> = {}, more: Partial<PoolOptions> = {}) {
  const options = { program, settings: null, memoryBytes: 1_000_000_000, retiredAfter: NEVER, ...child };
  const pool = new ChildPool<HostileTask, unknown, unknown>({
    name: 'a hostile child',
    size: 1,
    log,
    child: async () => options,
    ...more,
  });
  onTestFinished(() => pool.close());
  const run = (task: HostileTask, more: Partial<RunOptions<unknown>> = {}) =>
    pool.run(task, { owner: 'one', signal: new AbortController().signal, timeoutMs: 60_000, ...more });
  return { pool, run };
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Orphans may stay zombies if the init process does not collect them. */
const isZombie = (pid: number) => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

const hasLimits = find('prlimit') !== null;
const seesCpuTimes = cpuTimeOf(process.pid) !== null;

test('a child returns a result, refuses, or fails with a bug of ours, and serves the next task', async () => {
  const { pool, run } = openPool();
  const value = { text: 'ß', bytes: new Uint8Array([1, 2, 3]), nested: [null, undefined, 1n, new Date(0)] };
  expect(await run({ do: 'echo', value })).toEqual(value);
  await expect(run({ do: 'refuse' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The file is broken.',
  });
  await expect(run({ do: 'throw' })).rejects.toThrow(/^The child failed: TypeError: a bug/);
  expect(pool.pids).toEqual([await run({ do: 'pid' })]);
});

test('large results arrive complete', async () => {
  const { run } = openPool();
  const value = Buffer.alloc(20_000_000, 'chorus');
  expect(value.equals((await run({ do: 'echo', value })) as Buffer)).toBe(true);
});

test('a child has the environment that it is given, and none of ours', async () => {
  process.env.TEST_SECRET = 'secret';
  onTestFinished(() => void delete process.env.TEST_SECRET);
  const environment = (await openPool({ env: { LANG: 'C' } }).run({ do: 'environment' })) as NodeJS.ProcessEnv;
  expect(environment).toMatchObject({ LANG: 'C' });
  expect(environment.TEST_SECRET).toBeUndefined();
  expect(environment.HOME).toBeUndefined();
});

test.each(['heap', 'buffers'] as const)('memory has a limit: %s', async (kind) => {
  if (kind === 'buffers' && !hasLimits) return;
  const { run } = openPool({ memoryBytes: 800_000_000 });
  const pid = (await run({ do: 'pid' })) as number;
  await expect(run({ do: kind })).rejects.toThrow(/ended during its task|ran out of memory/);
  if (kind === 'heap') expect(await run({ do: 'pid' })).not.toBe(pid);
});

test('memory that Node reserves but hardly uses does not count', async ({ skip }) => {
  if (!hasLimits) skip('no prlimit here');
  const { run } = openPool({ memoryBytes: 200_000_000 });
  expect(await run({ do: 'echo', value: 'done' })).toBe('done');
});

test('a child without memory does not blame the file, and is replaced', async () => {
  const { run } = openPool();
  const pid = await run({ do: 'pid' });
  await expect(run({ do: 'exhausted' })).rejects.toBeInstanceOf(OutOfMemory);
  expect(await run({ do: 'pid' })).not.toBe(pid);
});

test('a task may request a fresh child', async () => {
  const { pool, run } = openPool();
  const used = await run({ do: 'pid' });
  const [fresh, next] = await Promise.all([run({ do: 'pid' }, { fresh: true }), run({ do: 'pid' })]);
  expect(fresh).not.toBe(used);
  expect(next).toBe(fresh);
  expect(pool.pids).toEqual([fresh]);
  const aborting = new AbortController();
  const aborted = run({ do: 'hang' }, { fresh: true, signal: aborting.signal });
  aborting.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
});

test('CPU time has a limit for the life of a child', async ({ skip }) => {
  if (!hasLimits) skip('no prlimit here');
  const { run } = openPool({ cpuS: 1 });
  await expect(run({ do: 'spin' })).rejects.toBeInstanceOf(ChildGone);
  expect(await run({ do: 'echo', value: 'next' })).toBe('next');
});

test('tasks share a budget of CPU time, which waiting does not use', async ({ skip }) => {
  if (!seesCpuTimes) skip('the system does not report CPU times');
  const { run } = openPool();
  await run({ do: 'pid' }); // starting a child costs CPU time, too
  const cpu = cpuBudget(1_000);
  await run({ do: 'send', times: 2, everyMs: 300, hangs: false }, { cpu });
  const { leftMs } = cpu;
  expect(leftMs).toBeGreaterThan(500);
  await run({ do: 'compute', ms: 200 }, { cpu });
  expect(cpu.leftMs).toBeLessThan(leftMs - 150);
  const error = await run({ do: 'spin' }, { cpu }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CpuTimeout);
  expect(error).toMatchObject({ limitMs: 1_000 });
});

test('a task has a time limit, and a separate limit of silence', async () => {
  const { run } = openPool();
  const pid = (await run({ do: 'pid' })) as number;
  await expect(run({ do: 'hang' }, { timeoutMs: 50 })).rejects.toMatchObject({ name: 'TaskTimeout', limitMs: 50 });
  await expect.poll(() => lives(pid)).toBe(false);
  const parts: unknown[] = [];
  const options = { silenceMs: 1_500, onPart: (word: unknown) => void parts.push(word) };
  await run({ do: 'pid' });
  const talking = run({ do: 'send', times: 8, everyMs: 250, hangs: true }, options);
  await expect(talking).rejects.toMatchObject({ name: 'TaskTimeout', limitMs: 1_500 });
  expect(parts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test.each(['exit', 'abort'] as const)('a child that crashes fails its task alone: %s', async (kind) => {
  const { pool, run } = openPool();
  const [, crash, after] = [run({ do: 'pid' }), run({ do: kind }), run({ do: 'echo', value: 'after' })];
  await expect(crash).rejects.toBeInstanceOf(ChildGone);
  expect(await after).toBe('after');
  expect(pool.pids).toHaveLength(1);
});

test('a child that cannot start fails its task, and the pool tries again', async () => {
  let starts = 0;
  const child = async () => {
    starts += 1;
    const path = starts === 1 ? '/no/such/program.ts' : program;
    return { program: path, settings: null, memoryBytes: 1_000_000_000, retiredAfter: NEVER };
  };
  const { run } = openPool({}, { child });
  await expect(run({ do: 'pid' })).rejects.toThrow('a hostile child could not be started');
  expect(await run({ do: 'echo', value: 'next' })).toBe('next');
});

test('without free file descriptors, a task fails, and the process continues', async () => {
  const source = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const code = `
    import { closeSync, openSync } from 'node:fs';
    import { ChildPool } from ${source('./child-pool.ts')};
    import { currentProtection } from ${source('./protection.ts')};
    const options = { program: ${JSON.stringify(program)}, settings: null, memoryBytes: 1e9, retiredAfter: ${JSON.stringify(NEVER)} };
    const pool = new ChildPool({ name: 'child', size: 1, child: async () => options });
    currentProtection();
    const files = [];
    try {
      for (;;) files.push(openSync('/dev/null'));
    } catch {}
    const work = { owner: 1, signal: new AbortController().signal, timeoutMs: 60_000 };
    const error = await pool.run({ do: 'pid' }, work).catch((thrown) => thrown);
    for (const file of files) closeSync(file);
    console.log(error.cause.name);
  `;
  const args = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', code];
  const parent = spawn('/bin/sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  expect(String(line).trim()).toBe('ChildGone');
});

const used = { cpuMs: 1, memoryBytes: 1 };
const bytes = (hex: string) => Buffer.from(hex, 'hex');
test.each<[string, HostileTask]>([
  ['no object', { do: 'say', message: null }],
  ['an unknown type', { do: 'say', message: { type: 'nonsense', ...used } }],
  ['an answer without figures', { do: 'say', message: { type: 'done', answer: 1 } }],
  ['an error that there is not', { do: 'say', message: { type: 'failed', code: 'nonsense', message: '', ...used } }],
  ['a message of Node', { do: 'say', message: { cmd: 'NODE_HANDLE_NACK' } }],
  ['a second start', { do: 'say', message: { type: 'ready', ...used } }],
  ['bytes that are no message', { do: 'write', bytes: bytes('00000008deadbeefdeadbeef') }],
  ['a message without end', { do: 'write', bytes: bytes('fffffff0') }],
])('a child that says %s is killed, and harms nothing else', async (_name, task) => {
  const { run } = openPool();
  await expect(run(task)).rejects.toBeInstanceOf(ChildGone);
});

test('a child that sends unsolicited messages is killed', async () => {
  const { pool, run } = openPool();
  const pid = (await run({ do: 'pid' })) as number;
  const message = { type: 'done', answer: 'to the task of another', ...used };
  expect(await run({ do: 'say', message, late: true })).toBe('answered');
  await expect.poll(() => lives(pid)).toBe(false);
  expect(pool.pids).toEqual([]);
});

test('a child that never stops sending is killed in time, while the parent continues', async () => {
  const { run } = openPool();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 10);
  onTestFinished(() => clearInterval(timer));
  await run({ do: 'pid' });
  await expect(run({ do: 'flood' }, { timeoutMs: 1_000 })).rejects.toBeInstanceOf(TaskTimeout);
  expect(ticks).toBeGreaterThan(3);
});

test('an error in the listener ends the task and the child', async () => {
  const { run } = openPool();
  const onPart = () => {
    throw new Error('too much');
  };
  await expect(run({ do: 'flood' }, { onPart })).rejects.toThrow('too much');
});

test('an abort kills a child with its processes, or removes a task from the queue', async () => {
  const { run } = openPool({ ownGroup: true });
  const aborting = new AbortController();
  const started = Promise.withResolvers<number>();
  const onPart = (pid: unknown) => started.resolve(pid as number);
  const running = run({ do: 'start' }, { signal: aborting.signal, onPart });
  const waiting = run({ do: 'pid' }, { signal: aborting.signal });
  running.catch(() => undefined);
  waiting.catch(() => undefined);
  const grandchild = await started.promise;
  expect(lives(grandchild)).toBe(true);
  aborting.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  await expect(waiting).rejects.toThrow('enough');
  await expect(run({ do: 'pid' }, { signal: aborting.signal })).rejects.toThrow('enough');
  await expect.poll(() => lives(grandchild) && !isZombie(grandchild)).toBe(false);
});

test.each([1, 2])('there are never more than %i children, and owners take turns', async (size) => {
  const { pool, run } = openPool({}, { size });
  const order: string[] = [];
  let most = 0;
  const note = (owner: string) => () => {
    order.push(owner);
    most = Math.max(most, pool.pids.length);
  };
  const many = Array.from({ length: 8 }, () => run({ do: 'pid' }, { owner: 'many' }).then(note('many')));
  await Promise.all([...many, run({ do: 'pid' }, { owner: 'few' }).then(note('few'))]);
  expect(most).toBeLessThanOrEqual(size);
  if (size === 1) expect(order.indexOf('few')).toBe(1);
});

test.each<[string, Partial<TaskChildOptions['retiredAfter']>]>([
  ['tasks', { tasks: 1 }],
  ['CPU time', { cpuMs: 0 }],
  ['memory', { memoryShare: 0 }],
])('a child that has used up its %s is replaced', async (_name, retiredAfter) => {
  const { run } = openPool({ retiredAfter: { ...NEVER, ...retiredAfter } });
  expect(await run({ do: 'pid' })).not.toBe(await run({ do: 'pid' }));
});

test('closing ends all children, running tasks, and waiting ones', async () => {
  const { pool, run } = openPool();
  const tasks = [run({ do: 'hang' }), run({ do: 'hang' })];
  await expect.poll(() => pool.pids).toHaveLength(1);
  const pids = pool.pids;
  pool.close();
  for (const outcome of await Promise.allSettled([...tasks, run({ do: 'pid' })]))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'PoolClosed' } });
  await expect.poll(() => pids.some(lives)).toBe(false);
});

test('a child and its lent files disappear when the parent is killed or ends', async () => {
  const source = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const code = `
    import { ChildPool } from ${source('./child-pool.ts')};
    import { lendFile } from ${source('./lend-file.ts')};
    const options = { program: ${JSON.stringify(program)}, settings: null, memoryBytes: 1e9, retiredAfter: ${JSON.stringify(NEVER)} };
    const pool = new ChildPool({ name: 'child', size: 1, keep: 1, child: async () => options });
    const { path } = await lendFile(Buffer.from('lent'), 'file');
    const work = { owner: 1, signal: new AbortController().signal, timeoutMs: 60_000 };
    console.log(JSON.stringify({ pid: await pool.run({ do: 'pid' }, work), path }));
    if (process.argv[1] === 'wait') await pool.run({ do: 'hang' }, work);
  `;
  for (const how of ['wait', 'end']) {
    const args = ['--input-type=module', '-e', code, how];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(parent.stdout, 'data');
    const { pid, path } = JSON.parse(String(line));
    const ended = once(parent, 'exit');
    if (how === 'wait') parent.kill('SIGKILL');
    await ended;
    await expect.poll(() => lives(pid) && !isZombie(pid)).toBe(false);
    // A killed process can't clean up after itself.
    if (how === 'end') expect(existsSync(path)).toBe(false);
  }
});
