import { Feeder, listenForBatches } from '@chorus/batches';
import { connectRedis } from '@chorus/events';
import { planBatchItem } from '@chorus/jobs';
import { writeBatchOutputs } from './openai/batches/write-outputs.ts';
import type { TestApi } from './test-api.ts';

/** Feeds batches as apps/maintenance does, and writes their files as the API's process does. Returns how to stop it. */
export async function runFileBatches({ services, redis: server }: TestApi): Promise<() => Promise<void>> {
  const { database, dispatcher, eventLog, hub, log } = services;
  const redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  redis.on('error', () => undefined);
  const feeder = new Feeder({
    database,
    dispatcher,
    redis,
    planner: (kind, request, requester) => planBatchItem(kind, request, requester, services),
    limits: { maxDepth: 1_000, window: 100 },
    publishToFeed: eventLog.publishToFeed,
    onEnd: async () => undefined,
    log,
  });
  const stopListening = await listenForBatches(hub, feeder);
  const stopWriting = writeBatchOutputs(services);
  return async () => {
    stopListening();
    await Promise.all([feeder.close(), stopWriting()]);
    redis.disconnect();
  };
}
