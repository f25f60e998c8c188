import { BATCH_ENDS_CHANNEL, BATCHES_CHANNEL, type EventHub } from '@chorus/events';
import type { Feeder } from './feeder.ts';

/**
 * Wakes a feeder on events of batches or their executions.
 *
 * @returns A function that stops it.
 */
export async function listenForBatches(hub: EventHub, feeder: Pick<Feeder, 'wake'>): Promise<() => void> {
  // The feeder polls often enough, so only a new connection is a reason to look again.
  const listen = (channel: string, wake: () => void) =>
    hub.listen(channel, { receive: wake, recheck: wake, lastHeardAt: Infinity, close: () => undefined });
  const stops = await Promise.all([
    listen(BATCH_ENDS_CHANNEL, () => feeder.wake()),
    listen(BATCHES_CHANNEL, () => feeder.wake(true)),
  ]);
  return () => {
    for (const stop of stops) stop();
  };
}
