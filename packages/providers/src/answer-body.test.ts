import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { AnswerBody } from './answer-body.ts';

const start = () => {
  const incoming = new PassThrough({ highWaterMark: 1024 });
  const watch = { waiting: vi.fn(), heard: vi.fn() };
  return { incoming, watch, body: new AnswerBody(incoming, incoming, watch) };
};

test('pauses a fast connection until its bytes are read', async () => {
  const { incoming, body } = start();
  const sent = Array.from({ length: 40 }, (_, index) => Buffer.alloc(8 * 1024, index));
  const writing = (async () => {
    for (const chunk of sent) if (!incoming.write(chunk)) await once(incoming, 'drain');
    incoming.end();
  })();
  await expect.poll(() => incoming.isPaused() && incoming.writableNeedDrain).toBe(true);
  const received: Buffer[] = [];
  for await (const chunk of body) received.push(chunk);
  await writing;
  expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true);
});

test('delivers bytes that arrived before the connection broke, then the error', async () => {
  const { incoming, watch, body } = start();
  incoming.write('one');
  expect(watch.heard).toHaveBeenCalledOnce();
  incoming.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  await expect.poll(() => incoming.closed).toBe(true);
  expect(`${body.next()}`).toBe('one');
  await expect(body.wait()).rejects.toThrow('terminated');
});

test('waits only if nothing has arrived, and closes the connection when the reader leaves', async () => {
  const { incoming, watch, body } = start();
  incoming.write('one');
  for await (const chunk of body) {
    if (`${chunk}` === 'two') break;
    expect(watch.waiting).not.toHaveBeenCalled();
    setImmediate(() => incoming.write('two'));
  }
  expect(watch.waiting).toHaveBeenCalledOnce();
  expect(incoming.destroyed).toBe(true);
  expect(await body.wait()).toBeNull();
});

test('closes a connection that the server leaves open after the answer', async () => {
  const { incoming, body } = start();
  body.endSoon();
  expect(await body.wait()).toBeNull();
  expect(incoming.destroyed).toBe(true);
});
