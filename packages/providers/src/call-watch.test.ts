import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CallWatch } from './call-watch.ts';

const IDLE_MS = 200;

test('a pause of this process is not silence, but real silence is', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    here.destroy();
    server.close();
  });
  const [[there]] = (await Promise.all([once(server, 'connection'), once(here, 'connect')])) as [[Socket], unknown];
  const watch = new CallWatch(new AbortController().signal, IDLE_MS);
  onTestFinished(() => watch.close());
  const heard = once(here, 'data').then(() => watch.heard());
  setImmediate(() => {
    there.write('x');
    const until = performance.now() + 2 * IDLE_MS;
    while (performance.now() < until);
  });
  await heard;
  expect([watch.timedOut, watch.signal.aborted]).toEqual([false, false]);
  watch.waiting();
  await once(watch.signal, 'abort');
  expect(watch.timedOut).toBe(true);
});
