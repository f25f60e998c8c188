import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { within } from './within.ts';

test('what has come is taken, though this process stood still; what does not come, or fails, is not waited for', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [there] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    here.destroy();
    server.close();
  });
  const told = once(here, 'data').then(([data]) => String(data));
  const hearing = within(5, told);
  there.write('here');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  expect(await hearing).toBe('here');
  expect(await within(5, new Promise(() => undefined))).toBeUndefined();
  expect(await within(60_000, Promise.reject(new Error('no')))).toBeUndefined();
});
