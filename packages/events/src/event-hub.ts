import { randomUUID } from 'node:crypto';
import type { Logger } from '@chorus/runtime/log';
import type { RedisConnection } from './connection/index.ts';
import { EventReader } from './event-reader.ts';
import { fromRedis } from './from-redis.ts';
import { HUBS_CHANNEL, liveChannel } from './keys.ts';

/** Readers without messages for this long read the log, since a failover may lose messages. */
const RECHECK_MS = 5_000;

const OPEN_TIMEOUT_MS = 3_000;

export interface Listener {
  receive(message: string): void;
  /** Called after a long silence, or if messages may have been lost. The listener should read the source again. */
  recheck(): void;
  /** Time of the last message, by `performance.now()`. */
  readonly lastHeardAt: number;
  /** Called when the hub closes. */
  close(): void;
}

export interface EventHub {
  /** Channel of this hub. Executions that it follows from the start need no subscriptions of their own. */
  readonly channel: string;
  /**
   * Opens a reader of one execution's events after `after` (0: all). It is subscribed on return, so it misses
   * no later event. `fresh`: its log is empty, and everything appended to it is also published to `channel`.
   *
   * @throws {ChorusError} `store_unavailable` when Redis does not answer within 3 s
   */
  open(executionId: string, after: number, options?: { fresh?: boolean }): Promise<EventReader>;
  /**
   * Subscribes a listener to a channel.
   *
   * @returns unsubscribes
   * @throws {ChorusError} `store_unavailable` when Redis does not answer within 3 s
   */
  listen(channel: string, listener: Listener): Promise<() => void>;
  /** Number of listeners. */
  readonly size: number;
  close(): void;
}

interface Channel {
  listeners: Set<Listener>;
  subscribed: Promise<unknown>;
  /** Whether its messages arrive on the hub's channel. */
  shared: boolean;
}

/**
 * Shares one subscriber connection between all readers of a process.
 *
 * @param commands reads logs
 * @param subscriber a connection for this hub only
 */
export function createEventHub(commands: RedisConnection, subscriber: RedisConnection, log: Logger): EventHub {
  const ownChannel = `${HUBS_CHANNEL}:${randomUUID()}`;
  const channels = new Map<string, Channel>();
  let size = 0;
  let subscribed: Promise<unknown> | null = null;

  const forEachListener = (visit: (listener: Listener) => void) => {
    for (const { listeners } of channels.values()) for (const listener of listeners) visit(listener);
  };

  const deliver = (channel: string, message: string) => {
    const entry = channels.get(channel);
    if (entry) for (const listener of entry.listeners) listener.receive(message);
  };

  /** Subscribes once per connection. Retries failures. */
  const subscribeOwn = (): Promise<unknown> => {
    if (subscribed) return subscribed;
    const subscribing: Promise<unknown> = subscriber.subscribe(ownChannel, HUBS_CHANNEL).catch((error: unknown) => {
      if (subscribed === subscribing) subscribed = null;
      throw error;
    });
    subscribed = subscribing;
    return subscribing;
  };

  subscriber.on('message', (channel: string, message: string) => {
    if (channel !== ownChannel && channel !== HUBS_CHANNEL) return deliver(channel, message);
    const at = message.indexOf('\n');
    deliver(message.slice(0, at), message.slice(at + 1));
  });
  subscriber.on('close', () => {
    subscribed = null;
  });
  subscriber.on('error', (err) => log.debug({ err }, 'event subscriber')); // outages are logged by the caller
  subscriber.on('ready', () => {
    // Messages published during the outage are in the logs. Renewed subscriptions precede this one.
    subscribeOwn().then(
      () => forEachListener((listener) => listener.recheck()),
      () => undefined,
    );
  });

  const timer = setInterval(() => {
    const before = performance.now() - RECHECK_MS;
    forEachListener((listener) => {
      if (listener.lastHeardAt < before) listener.recheck();
    });
  }, RECHECK_MS);
  timer.unref();

  const leave = (channel: string, listener: Listener) => {
    const entry = channels.get(channel);
    if (!entry?.listeners.delete(listener)) return;
    size -= 1;
    if (entry.listeners.size > 0) return;
    channels.delete(channel);
    if (!entry.shared) subscriber.unsubscribe(channel).catch(() => undefined);
  };

  const join = async (channel: string, listener: Listener, shared: boolean): Promise<() => void> => {
    let entry = channels.get(channel);
    if (!entry) {
      entry = { listeners: new Set(), subscribed: shared ? subscribeOwn() : subscriber.subscribe(channel), shared };
      channels.set(channel, entry);
    }
    entry.listeners.add(listener);
    size += 1;
    try {
      await fromRedis(entry.subscribed, OPEN_TIMEOUT_MS);
    } catch (error) {
      leave(channel, listener);
      throw error;
    }
    return () => leave(channel, listener);
  };

  return {
    channel: ownChannel,
    listen: (channel, listener) => join(channel, listener, false),
    async open(executionId, after, { fresh = false } = {}) {
      const channel = liveChannel(executionId);
      const reader = new EventReader(commands, executionId, after, !fresh, () => leave(channel, reader));
      await join(channel, reader, fresh);
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
