import { connectRedis } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { startRedisCluster, type TestRedisCluster } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLanes } from './create-lanes.ts';
import { enter, fail, freshLane } from './test-lanes.ts';

const log = createLogger({ name: 'test', level: 'silent' });
let cluster: TestRedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster.stop());

test('lanes work on a Redis Cluster', async () => {
  const connections: ReturnType<typeof connectRedis>[] = [];
  const connect = () => {
    const connection = connectRedis({ url: cluster.url, cluster: true }, 'worker');
    connections.push(connection);
    return connection;
  };
  const [one, other] = [0, 1].map(() => createLanes({ redis: connect(), subscriber: connect(), limits: () => 2, log }));
  await Promise.all([one!.ready(), other!.ready()]);
  const lanes = Array.from({ length: 5 }, () => freshLane());
  for (const lane of lanes) {
    const held = [await enter(one!, lane), await enter(other!, lane)];
    const waiting = enter(other!, lane);
    held[0]!.leave();
    (await waiting).leave();
    held[1]!.leave();
  }
  const heard: string[] = [];
  other!.onState((lane, { reason }) => reason === 'away' && heard.push(lane));
  await fail(one!, lanes[0]!, 5);
  await expect.poll(() => heard).toContain(lanes[0]);
  await expect.poll(async () => (await one!.read()).map(({ lane }) => lane)).toEqual(expect.arrayContaining(lanes));
  for (const process of [one!, other!]) process.close();
  for (const connection of connections) connection.disconnect();
});
