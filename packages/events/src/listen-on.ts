import type { Logger } from '@chorus/runtime/log';
import type { RedisConnection } from './connection/index.ts';
import { isRedisUnavailable } from './from-redis.ts';

export interface ChannelListener {
  onMessage(message: string): void;
  /** Runs after each subscription. Messages published before it are lost, so it must read what they announced. */
  onSubscribed?(): unknown;
  log: Logger;
}

/** Listens on one channel of a connection that others use, too. Subscribes again after each outage. */
export function listenOn(
  subscriber: RedisConnection,
  channel: string,
  { onMessage, onSubscribed, log }: ChannelListener,
): { /** Settles with the first subscription. */ subscribed: Promise<void>; stop(): void } {
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  let isStopped = false;
  const subscribe = async () => {
    try {
      await subscriber.subscribe(channel);
      first.resolve();
      await onSubscribed?.();
    } catch (err) {
      first.reject(err);
      // Outages are logged once per connection.
      if (!isStopped && !isRedisUnavailable(err))
        log.warn({ err, channel }, 'could not subscribe to a channel, or read what it missed');
    }
  };
  const receive = (from: string, message: string) => {
    if (from === channel) onMessage(message);
  };
  subscriber.on('message', receive).on('ready', subscribe);
  if (subscriber.status === 'ready') void subscribe();
  return {
    subscribed: first.promise,
    stop() {
      isStopped = true;
      subscriber.off('message', receive).off('ready', subscribe);
    },
  };
}
