import { createLogger } from '@chorus/runtime/log';
import { type LentFile, lendFile, TaskTimeout } from '@chorus/sandbox';
import { writePdf } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPagePool, type PagePool } from './page-pool.ts';
import type { FileToRead, Task } from './page-tasks.ts';
import { endlessPdf } from './test-hostile.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const options = { settings: { program: null, data: null, pixels: 1_000_000 }, memoryBytes: 1_000_000_000, env: {} };
const poolOf = (size: number) => createPagePool(size, log, async () => options);

let lent: LentFile[];
let short: FileToRead;
let endless: FileToRead;
beforeAll(async () => {
  lent = await Promise.all([writePdf([{ marks: [] }]), endlessPdf()].map((bytes) => lendFile(bytes, 'file.pdf')));
  [short, endless] = lent.map(({ path }) => ({ path, type: 'application/pdf', sizeBytes: 1_000 })) as [
    FileToRead,
    FileToRead,
  ];
});
afterAll(() => Promise.all(lent.map(({ remove }) => remove())));

const count = (file: FileToRead): Task => ({ type: 'count', file });
const of = (owner: object, timeoutMs = 60_000, signal = new AbortController().signal) => ({ owner, signal, timeoutMs });

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('serves waiting owners in turn, so that many tasks of one do not block another', async () => {
  const pool = poolOf(1);
  const [many, one] = [{}, {}];
  const ended: string[] = [];
  const tasks = Array.from({ length: 6 }, (_, index) =>
    pool.run(count(short), of(many)).then(() => ended.push(`many ${index}`)),
  );
  await Promise.all([...tasks, pool.run(count(short), of(one)).then(() => ended.push('one'))]);
  expect(ended.indexOf('one')).toBe(1);
  expect(pool.pids).toHaveLength(1); // already started
  pool.close();
});

test.each<[string, (pool: PagePool, abort: () => void) => void, object]>([
  ['an abort', (_pool, abort) => abort(), { message: 'enough' }],
  ['closing the pool', (pool) => pool.close(), { name: 'PoolClosed' }],
])('%s ends a working child at once', async (_name, end, error) => {
  const pool = poolOf(1);
  await pool.run(count(short), of({}));
  const [pid = 0] = pool.pids;
  const controller = new AbortController();
  const running = pool.run(count(endless), of({}, 60_000, controller.signal));
  running.catch(() => {});
  end(pool, () => controller.abort(new Error('enough')));
  await expect(running).rejects.toMatchObject(error);
  await expect.poll(() => lives(pid)).toBe(false);
  pool.close();
});

test('removes a waiting task on abort, ends a child on timeout, and serves the next task with a new one', async () => {
  const pool = poolOf(1);
  await pool.run(count(short), of({}));
  const running = pool.run(count(endless), of({}, 200));
  const controller = new AbortController();
  const waiting = pool.run(count(short), of({}, 60_000, controller.signal));
  const after = pool.run(count(short), of({}));
  controller.abort(new Error('not any more'));
  await expect(waiting).rejects.toThrow('not any more');
  await expect(running).rejects.toBeInstanceOf(TaskTimeout);
  expect(await after).toBe(1);
  pool.close();
  await expect(pool.run(count(short), of({}))).rejects.toThrow('closed');
  await expect.poll(() => pool.pids).toEqual([]);
});
