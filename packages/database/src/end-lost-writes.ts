import { MongoNetworkError } from 'mongodb';
import driver, { type Once } from 'mongodb/lib/utils.js';

let isDone = false;

/**
 * Patches the driver to end a pending write when its connection closes. Otherwise the driver waits for `drain`, which
 * a destroyed socket never emits: the request keeps its place in the pool, and a server monitor never reconnects.
 */
export function endLostWrites(): void {
  if (isDone) return;
  isDone = true;
  const { once } = driver;
  driver.once = (socket, event, options) =>
    event === 'drain' ? drained(once, socket, options) : once(socket, event, options);
}

async function drained(once: Once, socket: Parameters<Once>[0], options?: object): Promise<unknown> {
  const { promise: closed, reject } = Promise.withResolvers<never>();
  const onClose = () => reject(new MongoNetworkError('the connection closed before the write was complete'));
  if (socket.destroyed) onClose();
  socket.once('close', onClose);
  try {
    return await Promise.race([closed, once(socket, 'drain', options)]);
  } finally {
    socket.off('close', onClose);
  }
}
