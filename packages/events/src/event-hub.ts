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

/** Who hears what is published on a channel. */
export interface Listener {
  receive(message: string): void;
  /** Something may have been missed, or nothing was heard for a while: look at what the channel tells of. */
  lookAgain(): void;
  /** When something was last heard, by `performance.now()`. */
  readonly lastHeardAt: number;
  /** The hub is closed. */
  close(): void;
}

export interface EventHub {
  /**
   * Opens a reader of one execution's events after `after` (0: all). It is subscribed when this returns, so no event that is appended
   * from then on is missed. `fresh`: the log is known to be empty, which saves looking.
   *
   * @throws {ChorusError} `store_unavailable` when Redis does not answer within 3 s
   */
  open(executionId: string, after: number, options?: { fresh?: boolean }): Promise<EventReader>;
  /**
   * Hears a channel from then on when this returns.
   *
   * @returns ends it
   * @throws {ChorusError} `store_unavailable` when Redis does not answer within 3 s
   */
  listen(channel: string, listener: Listener): Promise<() => void>;
  /** Listeners now. */
  readonly size: number;
  close(): void;
}

interface Channel {
  listeners: Set<Listener>;
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

  const forEachListener = (visit: (listener: Listener) => void) => {
    for (const { listeners } of channels.values()) for (const listener of listeners) visit(listener);
  };

  subscriber.on('message', (channel: string, message: string) => {
    const entry = channels.get(channel);
    if (entry) for (const listener of entry.listeners) listener.receive(message);
  });
  subscriber.on('error', (err) => log.debug({ err }, 'event subscriber')); // whoever opened it notes outages
  subscriber.on('ready', () => {
    // What was published while the connection was away is in the logs. The renewed subscriptions come before this one.
    subscriber.subscribe(SYNC_CHANNEL).then(
      () => forEachListener((listener) => listener.lookAgain()),
      () => undefined,
    );
  });

  const timer = setInterval(() => {
    const before = performance.now() - LOOK_EVERY_MS;
    forEachListener((listener) => {
      if (listener.lastHeardAt < before) listener.lookAgain();
    });
  }, LOOK_EVERY_MS);
  timer.unref();

  const leave = (channel: string, listener: Listener) => {
    const entry = channels.get(channel);
    if (!entry?.listeners.delete(listener)) return;
    size -= 1;
    if (entry.listeners.size > 0) return;
    channels.delete(channel);
    subscriber.unsubscribe(channel).catch(() => undefined);
  };

  const listen: EventHub['listen'] = async (channel, listener) => {
    let entry = channels.get(channel);
    if (!entry) {
      entry = { listeners: new Set(), subscribed: subscriber.subscribe(channel) };
      channels.set(channel, entry);
    }
    entry.listeners.add(listener);
    size += 1;
    try {
      await fromRedis(entry.subscribed, OPEN_WITHIN_MS);
    } catch (error) {
      leave(channel, listener);
      throw error;
    }
    return () => leave(channel, listener);
  };

  return {
    listen,
    async open(executionId, after, options = {}) {
      const channel = liveChannel(executionId);
      const reader = new EventReader(commands, executionId, after, options.fresh !== true, () =>
        leave(channel, reader),
      );
      await listen(channel, reader);
      return reader;
    },
    get size() {
      return size;
    },
    close() {
      clearInterval(timer);
      forEachListener((listener) => listener.close());
      subscriber.disconnect();
    },
  };
}
