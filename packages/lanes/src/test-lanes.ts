import { connectRedis, type RedisConnection } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, type TestRedis } from '@chorus/testing';
import type { LanePass } from './call.ts';
import { createLanes, type Lanes, type LanesOptions } from './create-lanes.ts';
import type { LaneWait } from './lane-wait.ts';

const NEVER = new AbortController().signal;
const log = createLogger({ name: 'test', level: 'silent' });
let last = 0;

/** Returns a lane that no other test uses. */
export function freshLane(provider = 'openai'): string {
  last += 1;
  return `${provider}/model-${process.pid}-${last}`;
}

/** Lanes of several processes on one Redis. */
export async function startProcesses() {
  const redis = await startRedis();
  const closers: (() => unknown)[] = [];
  const connect = () => {
    const connection = connectRedis({ url: redis.url, cluster: false }, 'worker');
    connection.on('error', () => undefined);
    closers.push(() => connection.disconnect());
    return connection;
  };
  return {
    redis: redis as TestRedis,
    connect: connect as () => RedisConnection,
    /** Starts a process, and waits until it receives news. */
    async start(options: Partial<LanesOptions> = {}): Promise<Lanes> {
      const lanes = createLanes({ redis: connect(), subscriber: connect(), limits: () => null, log, ...options });
      closers.unshift(() => lanes.close());
      await lanes.ready();
      return lanes;
    },
    /** Ends all processes. */
    end() {
      for (const close of closers.splice(0)) close();
    },
    async stop() {
      this.end();
      await redis.stop();
    },
  };
}

export const enter = async (
  lanes: Lanes,
  lane: string,
  { maxWaitMs = 20_000, user = 'one', signal = NEVER } = {},
): Promise<LanePass> => lanes.enter(lane, { signal, maxWaitMs, user });

/** Returns why a call cannot start, or null if it could. */
export const refusal = (lanes: Lanes, lane: string, maxWaitMs = 0): Promise<LaneWait | null> =>
  enter(lanes, lane, { maxWaitMs }).then(
    (pass) => {
      pass.leave();
      return null;
    },
    (error) => error as LaneWait,
  );

/** Makes calls of a lane fail. */
export async function fail(lanes: Lanes, lane: string, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    const pass = await enter(lanes, lane);
    pass.failed();
    pass.leave();
  }
}
