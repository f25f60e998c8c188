import { createAssets } from '@chorus/assets';
import { Feeder, Leadership, listenForBatches } from '@chorus/batches';
import { createBlobs } from '@chorus/blobs';
import { MAINTENANCE } from '@chorus/contract';
import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, logOutages, WEBHOOKS_CHANNEL } from '@chorus/events';
import { openAddresses } from '@chorus/executions';
import { planBatchItem } from '@chorus/jobs';
import { blankQuotes, KnowledgeKeys, sweepKnowledge, sweepOrphans } from '@chorus/knowledge';
import { createOutbound } from '@chorus/outbound';
import { createDeletions, createDispatcher, createWorkerRegistry, sweep } from '@chorus/queue';
import { exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { createLoadSubject, Deliverer, noteDelivery } from '@chorus/webhooks';
import { createWorkerMetrics, onShutdown, publishHealth } from '@chorus/worker-kit';
import { endExpired } from './expiry.ts';
import { indexTexts, maintainIndex } from './index-upkeep.ts';
import { everyWithLease } from './lease.ts';
import { deleteOld, deleteTransient } from './retention.ts';

const SWEEP_EVERY_MS = 5_000;
const MINUTELY_MS = 60_000;
const HOURLY_MS = 3_600_000;

await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const log = createLogger({ name: 'maintenance', level: config.logLevel });
  const database = await connectDatabase({ uri: config.mongodbUri, secretKey: config.secretKey, log, waits: true });
  const redis = connectRedis(config.redis, 'worker');
  const subscriber = connectRedis(config.redis, 'worker');
  for (const connection of [redis, subscriber]) logOutages(connection, config.redis, log);
  const eventLog = createEventLog(redis, config.events);
  const hub = createEventHub(redis, subscriber, log);
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits: config.queue, log });

  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({ database, blobs, log, tell: eventLog.tell });
  const deletions = createDeletions({
    database,
    eventLog,
    dispatcher,
    assets,
    blankQuotes: (owner, id) => blankQuotes({ database, assets, eventLog }, owner, id),
    log,
  });
  const search = openSearch({ ...config.index, log });
  const stopMaintaining = maintainIndex(redis, search, log);
  const knowledgeKeys = new KnowledgeKeys(database);
  const knowledge = {
    database,
    eventLog,
    search,
    assets,
    blobs,
    keys: knowledgeKeys,
    deadlineMs: config.knowledge.deadlineMs,
    log,
  };
  const every = (everyMs: number, name: string, task: () => Promise<Record<string, number>>) =>
    everyWithLease({ redis, log }, name, everyMs, task);
  // Bytes younger than an hour may still get their record.
  const orphanedBefore = () => new Date(Date.now() - HOURLY_MS);
  const stopSweeps = [
    every(SWEEP_EVERY_MS, 'sweep', () => sweep({ database, eventLog, dispatcher, log })),
    every(SWEEP_EVERY_MS, 'deletions', async () => ({ deletions: await deletions.sweep() })),
    every(SWEEP_EVERY_MS, 'knowledge', () => sweepKnowledge(knowledge)),
    every(MINUTELY_MS, 'transient', async () => ({ executions: await deleteTransient(database, deletions) })),
    every(HOURLY_MS, 'retention', () => deleteOld(database, deletions, config.retention)),
    every(SWEEP_EVERY_MS, 'expiry', () => endExpired({ database, assets, eventLog })),
    every(HOURLY_MS, 'orphans', async () => ({ assets: await assets.sweep(orphanedBefore()) })),
    every(HOURLY_MS, 'knowledge-orphans', async () => ({ entries: await sweepOrphans(knowledge, orphanedBefore()) })),
    every(HOURLY_MS, 'storage', async () => ({ scopes: await assets.quota.recount() })),
  ];
  const indexLease = new Leadership(redis, 'texts');
  const stopIndexing = indexTexts({ database, search, lease: indexLease, log });
  const outbound = createOutbound(config.outbound);
  const deliverer = new Deliverer({
    database,
    outbound,
    load: createLoadSubject(database, await openAddresses(database, config)),
    log,
    keepMs: config.retention.webhooksMs,
  });
  const registry = createWorkerRegistry(redis);
  const jobServices = { config, database, registry, outbound, blobs, assets, knowledgeKeys };
  const feeder = new Feeder({
    database,
    dispatcher,
    redis,
    planner: (kind, request, requester) => planBatchItem(kind, request, requester, jobServices),
    limits: { maxDepth: config.queue.maxDepth, window: config.batches.window },
    publishToFeed: eventLog.tell,
    onEnd: async ({ id, owner, webhook_url: url, retries }) => {
      if (url === null) return;
      const subject = { batch_id: id, round: retries };
      await noteDelivery(database, { owner, event: 'batch.completed', url, subject }, config.retention.webhooksMs);
      eventLog.wake(WEBHOOKS_CHANNEL);
    },
    log,
  });
  const metrics = createWorkerMetrics();
  const health = publishHealth({
    redis,
    pool: MAINTENANCE,
    log,
    metrics: () => metrics.registry.getMetricsAsJSON(),
    read: () => ({ active: 0, concurrency: 0, models: [], providers: [], default_model: null }),
  });
  await health.start();
  const wake = () => deliverer.wake();
  await hub.listen(WEBHOOKS_CHANNEL, { receive: wake, recheck: wake, lastHeardAt: 0, close: () => undefined });
  await listenForBatches(hub, feeder);
  onShutdown(log, async () => {
    await health.withdraw().catch(() => undefined);
    const stops = [...stopSweeps, stopMaintaining, stopIndexing].map((stop) => stop());
    await Promise.all([...stops, feeder.close(), deliverer.close(config.shutdownGraceMs)]);
    await indexLease.release().catch(() => undefined);
    await dispatcher.close();
    hub.close();
    redis.disconnect();
    search.close();
    blobs.close();
    await database.close();
  });
  reportReady();
  log.info('ready');
});
