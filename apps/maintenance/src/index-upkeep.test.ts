import { connectRedis } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { maintainIndex } from './index-upkeep.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

const log = createLogger({ name: 'test', level: 'silent' });

test('maintains the index in one process, however long it takes, and stops on request', async () => {
  const redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  onTestFinished(() => redis.disconnect());
  const working = Promise.withResolvers<AbortSignal>();
  const stopFirst = maintainIndex(
    redis,
    {
      maintain: async ({ signal }) => {
        working.resolve(signal);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { tables: ['chunks-a'] };
      },
    },
    log,
  );
  const signal = await working.promise;
  let seconds = 0;
  const stopSecond = maintainIndex(
    redis,
    {
      maintain: async () => {
        seconds += 1;
        return { tables: [] };
      },
    },
    log,
  );
  await stopSecond();
  expect(seconds).toBe(0);
  expect(await redis.get('chorus:lease:index')).toBe(String(process.pid));
  expect(signal.aborted).toBe(false);
  await stopFirst();
  expect(signal.aborted).toBe(true);
});
