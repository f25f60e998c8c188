import { randomUUID } from 'node:crypto';
import { listenOn, type RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { LanePass } from './call.ts';
import { noteLane } from './known-lanes.ts';
import { Lane } from './lane.ts';
import { readNews, stateOf } from './lane-state.ts';
import { type NamedLaneState, readLanes, resumeLanes } from './read-lanes.ts';
import { type StateListener, StateListeners } from './state-listeners.ts';
import { LANES_CHANNEL, laneSteps } from './steps/lane-steps.ts';
import type { EnterOptions } from './waiting-calls.ts';

const TICK_MS = 250;
const NOTE_EVERY_MS = 600_000;
const FORGET_MS = 600_000;
const MAX_LANES = 1_000;

export interface LanesOptions {
  /** Identifies this process, also to `disownLanes`. */
  process?: string;
  redis: RedisConnection;
  subscriber: RedisConnection;
  /** Returns the limit that an operator set for a lane. It overrides the learned one. */
  limits: (lane: string) => number | null;
  /** Reports whether the server of a lane may queue calls itself. Its limit is then learned from its speed, too. */
  queues?: (lane: string) => boolean;
  log: Logger;
  /** Shortens all times of learning, but not leases. For tests. */
  timeFactor?: number;
}

export interface Lanes {
  /**
   * Admits a call, synchronously if possible.
   *
   * @throws LaneWait if the lane is closed for longer than `maxWaitMs`, or no permit became free within it; the
   * signal's reason; ChorusError `store_unavailable` if Redis is down
   */
  enter(lane: string, options: EnterOptions): LanePass | Promise<LanePass>;
  /** Calls a listener after changes of any lane, made by any process. Returns a function that stops it. */
  onState(listener: StateListener): () => void;
  resume(laneOrProvider: string): Promise<NamedLaneState[]>;
  read(lanes?: readonly string[]): Promise<NamedLaneState[]>;
  /** Resolves once this process receives news from others. */
  ready(): Promise<void>;
  /** Stops listening, and all timers. The permits of calls in flight expire with their lease. */
  close(): void;
}

/** Creates this process's access to the lanes that all processes share through Redis. */
export function createLanes(options: LanesOptions): Lanes {
  const { process: me = randomUUID(), redis, subscriber, limits, queues = () => false, log, timeFactor = 1 } = options;
  const steps = laneSteps(redis, timeFactor);
  const known = new Map<string, { lane: Lane; notedAt: number }>();
  const listeners = new StateListeners(log);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const { stop, subscribed } = listenOn(subscriber, LANES_CHANNEL, {
    onMessage(message) {
      const news = readNews(message);
      if (!news || news.by === me) return;
      const own = known.get(news.lane);
      if (own) own.lane.hear(news);
      else listeners.tell(news.lane, stateOf(news));
    },
    onSubscribed: () => {
      for (const { lane } of known.values()) lane.refresh();
    },
    log,
  });

  const tick = () => {
    const now = performance.now();
    let isActive = false;
    for (const [id, { lane }] of known) {
      lane.tick(now);
      if (lane.isActive) isActive = true;
      else if (lane.isUnusedSince(now - FORGET_MS)) known.delete(id);
    }
    if (isActive) return;
    clearInterval(timer);
    timer = undefined;
  };

  const setLimitOf = (lane: string) => {
    const limit = limits(lane);
    return limit !== null && limit >= 1 ? Math.min(Math.floor(limit), 100_000) : null;
  };

  const laneOf = (id: string): Lane => {
    const now = performance.now();
    let found = known.get(id);
    if (!found) {
      if (known.size >= MAX_LANES) {
        for (const [other, { lane }] of known) if (lane.isUnusedSince(now)) known.delete(other);
      }
      const onState = listeners.tellerOf(id);
      const context = {
        me,
        steps,
        setLimit: () => setLimitOf(id),
        factor: timeFactor,
        mayQueue: queues(id),
        log,
        onState,
      };
      found = { lane: new Lane(id, context), notedAt: Number.NEGATIVE_INFINITY };
      known.set(id, found);
    }
    if (now - found.notedAt > NOTE_EVERY_MS) {
      found.notedAt = now;
      noteLane(redis, id).catch((err) => log.warn({ err, lane: id }, 'could not note a lane'));
    }
    return found.lane;
  };

  return {
    enter(id, options) {
      timer ??= isClosed ? undefined : setInterval(tick, TICK_MS * Math.min(1, Math.max(timeFactor, 0.1))).unref();
      return laneOf(id).enter(options);
    },
    onState: (listener) => listeners.add(listener),
    resume: (laneOrProvider) => resumeLanes(redis, laneOrProvider),
    read: (lanes) => readLanes(redis, lanes),
    ready: () => subscribed,
    close() {
      isClosed = true;
      stop();
      clearInterval(timer);
      listeners.close();
      for (const { lane } of known.values()) lane.close();
    },
  };
}
