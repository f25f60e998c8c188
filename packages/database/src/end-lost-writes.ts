import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

type Once = (emitter: EventEmitter & { destroyed?: boolean }, event: string, options?: object) => Promise<unknown>;

let isDone = false;

/**
 * Has what the driver writes to a connection end with it. It waits for `drain` after each write that is not taken at once, and that never comes from a socket which
 * is destroyed while its close has yet to be told. A request that waits so is lost with its place among the connections; where it is the driver's own look at the
 * server, by which it finds one again, this process would never be connected any more.
 */
export function endLostWrites(): void {
  if (isDone) return;
  isDone = true;
  // The very module that mongoose's driver calls.
  const driver = createRequire(import.meta.resolve('mongoose'))('mongodb/lib/utils.js') as { once: Once };
  const { once } = driver;
  driver.once = (socket, event, options) =>
    event === 'drain' ? drained(once, socket, options) : once(socket, event, options);
}

async function drained(once: Once, socket: Parameters<Once>[0], options?: object): Promise<unknown> {
  const { promise: closed, reject } = Promise.withResolvers<never>();
  const onClose = () => reject(new mongo.MongoNetworkError('the connection was closed before all was written'));
  if (socket.destroyed) onClose();
  socket.once('close', onClose);
  try {
    return await Promise.race([closed, once(socket, 'drain', options)]);
  } finally {
    socket.off('close', onClose);
  }
}
