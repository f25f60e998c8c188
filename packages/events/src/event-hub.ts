import type { Logger } from '@chorus/log';
import type { RedisConnection } from './connect-redis.ts';
import { EventReader } from './event-reader.ts';
import { fromRedis } from './from-redis.ts';
import { liveChannel } from './keys.ts';

/** Readers that have heard nothing for so long look into the log: a published message may have been lost in a failover. */
const LOOK_EVERY_MS = 5_000;

/** Opening fails when Redis does not answer for so long: somebody waits for it. */
const OPEN_WITHIN_MS = 3_000;

/** A channel of the hub's own: its subscription is answered after those that a reconnect renews. */
const SYNC_CHANNEL = 'chorus:hub';

export interface EventHub {
  /**
   * Opens a reader of one execution's events after `after` (0: all). It is subscribed when this returns, so no event that is appended
   * from then on is missed. `fresh`: the log is known to be empty, which saves looking.
   *
   * @throws {ChorusError} `store_unavailable` when Redis does not answer within 3 s
   */
  open(executionId: string, after: number, options?: { fresh?: boolean }): Promise<EventReader>;
  /** Streams open now. */
  readonly size: number;
  close(): void;
}

interface Channel {
  readers: Set<EventReader>;
  subscribed: Promise<unknown>;
}

/**
 * All readers of one process share one subscriber connection.
 *
 * @param commands reads logs; @param subscriber a connection of its own, used for nothing else
 */
export function createEventHub(commands: RedisConnection, subscriber: RedisConnection, log: Logger): EventHub {
  const channels = new Map<string, Channel>();
  let size = 0;
  ownRenewals(subscriber);

  const forEachReader = (visit: (reader: EventReader) => void) => {
    for (const { readers } of channels.values()) for (const reader of readers) visit(reader);
  };

  subscriber.on('message', (channel: string, message: string) => {
    const entry = channels.get(channel);
    if (entry) for (const reader of entry.readers) reader.receive(message);
  });
  subscriber.on('error', (error) => log.warn({ err: error }, 'event subscriber'));
  subscriber.on('ready', () => {
    // What was published while the connection was away is in the logs. The renewed subscriptions come before this one.
    subscriber.subscribe(SYNC_CHANNEL).then(
      () => forEachReader((reader) => reader.lookAgain()),
      () => undefined,
    );
  });

  const timer = setInterval(() => {
    const before = performance.now() - LOOK_EVERY_MS;
    forEachReader((reader) => {
      if (reader.lastHeardAt < before) reader.lookAgain();
    });
  }, LOOK_EVERY_MS);
  timer.unref();

  const leave = (channel: string, reader: EventReader) => {
    const entry = channels.get(channel);
    if (!entry?.readers.delete(reader)) return;
    size -= 1;
    if (entry.readers.size > 0) return;
    channels.delete(channel);
    subscriber.unsubscribe(channel).catch(() => undefined);
  };

  return {
    async open(executionId, after, options = {}) {
      const channel = liveChannel(executionId);
      let entry = channels.get(channel);
      if (!entry) {
        entry = { readers: new Set(), subscribed: subscriber.subscribe(channel) };
        channels.set(channel, entry);
      }
      const reader = new EventReader(commands, executionId, after, options.fresh !== true, () =>
        leave(channel, reader),
      );
      entry.readers.add(reader);
      size += 1;
      try {
        await fromRedis(entry.subscribed, OPEN_WITHIN_MS);
      } catch (error) {
        reader.close();
        throw error;
      }
      return reader;
    },
    get size() {
      return size;
    },
    close() {
      clearInterval(timer);
      forEachReader((reader) => reader.close());
      subscriber.disconnect();
    },
  };
}

/**
 * ioredis renews subscriptions after a reconnect and leaves their promises to nobody: one that fails, since the connection is closed just then, would end
 * the process as an unhandled rejection.
 */
function ownRenewals(subscriber: RedisConnection): void {
  const subscribe = subscriber.subscribe as (...channels: unknown[]) => Promise<unknown>;
  const owned = (...channels: unknown[]) => {
    const answer = subscribe.apply(subscriber, channels);
    answer.catch(() => undefined);
    return answer;
  };
  subscriber.subscribe = owned as typeof subscriber.subscribe;
}
