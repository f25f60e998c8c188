import { MongoServerError } from 'mongodb';
import { expect, it } from 'vitest';
import { fromStore, isStoreAway, upsert } from './store-errors.ts';

it.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOENT'])(
  'treats a connection that breaks with %s as an unreachable store',
  async (code) => {
    const broken = Object.assign(new Error(`write ${code}`), { code, syscall: 'write' });
    expect(isStoreAway(broken)).toBe(true);
    await expect(fromStore(Promise.reject(broken))).rejects.toMatchObject({ code: 'store_unavailable', cause: broken });
  },
);

it('treats a full disk as retryable, and says so', async () => {
  const full = new MongoServerError({ message: 'the disk is full', code: 14_031 });
  expect(isStoreAway(full)).toBe(true);
  const message = expect.stringMatching(/^The disk of the document store is full/);
  await expect(fromStore(Promise.reject(full))).rejects.toMatchObject({ code: 'store_unavailable', message });
});

it.each([
  new Error('write EPIPE'),
  Object.assign(new Error('no file'), { code: 'EACCES', syscall: 'open' }),
  new TypeError('x is not a function'),
])('does not treat other errors as an unreachable store: %s', (error) => {
  expect(isStoreAway(error)).toBe(false);
});

it('retries an upsert once after a duplicate, and no other failure', async () => {
  const failing = (times: number, error: Error) => {
    let tries = 0;
    const write = async () => {
      tries += 1;
      if (tries <= times) throw error;
      return tries;
    };
    return { write, tries: () => tries };
  };
  const duplicate = new MongoServerError({ message: 'E11000 duplicate key error', code: 11_000 });
  expect(await upsert(failing(1, duplicate).write)).toBe(2);
  await expect(upsert(failing(2, duplicate).write)).rejects.toBe(duplicate);
  const broken = failing(1, new Error('broken'));
  await expect(upsert(broken.write)).rejects.toThrow('broken');
  expect(broken.tries()).toBe(1);
});

it('does not time out because this process is busy', async () => {
  // Like a socket: the answer waits until this process reads it.
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => port1.addEventListener('message', ({ data }) => resolve(data)));
  port1.start();
  const waited = fromStore(answer, 20);
  port2.postMessage('an answer');
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect(await waited).toBe('an answer');
  port1.close();
  await expect(fromStore(new Promise(() => undefined), 1)).rejects.toMatchObject({ code: 'store_unavailable' });
});
