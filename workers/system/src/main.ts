import { createAssets } from '@chorus/assets';
import { Feeder, Leadership, listenForBatches } from '@chorus/batches';
import { createBlobs } from '@chorus/blobs';
import { exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/config';
import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, noteOutages, WEBHOOKS_CHANNEL } from '@chorus/events';
import { openAddresses } from '@chorus/executions';
import { blankQuotes, KnowledgeKeys } from '@chorus/knowledge';
import { createLogger } from '@chorus/log';
import { createOutbound } from '@chorus/outbound';
import { createDeletions, createDispatcher, createWorkerRegistry, sweep } from '@chorus/queue';
import { openSearch } from '@chorus/search';
import { createLoadSubject, Deliverer, noteDelivery } from '@chorus/webhooks';
import { createWorkerMetrics, onShutdown, publishHealth } from '@chorus/worker-kit';
import { indexTexts } from './index-texts.ts';
import { everyWithLease } from './lease.ts';
import { maintainIndex } from './maintain-index.ts';
import { createRequestPlanner } from './plan-request.ts';
import { deleteOld } from './retention.ts';
import { tendKnowledge } from './tend-knowledge.ts';

/** What a dead process left is found within three rounds. */
const SWEEP_EVERY_MS = 5_000;

/** What is old enough goes within the hour. */
const RETENTION_EVERY_MS = 3_600_000;

/** Bytes that no record names are left alone for so long: their record may still come. In milliseconds. */
const ORPHANED_AFTER_MS = 3_600_000;

await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const log = createLogger({ name: 'worker-system', level: config.logLevel });
  const database = await connectDatabase({ uri: config.mongodbUri, secretKey: config.secretKey, log, waits: true });
  const redis = connectRedis(config.redis, 'worker');
  const subscriber = connectRedis(config.redis, 'worker');
  for (const connection of [redis, subscriber]) noteOutages(connection, config.redis, log);
  const eventLog = createEventLog(redis, config.events);
  const hub = createEventHub(redis, subscriber, log);
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits: config.queue, log });

  const stopSweeping = everyWithLease(redis, 'sweep', SWEEP_EVERY_MS, async () => {
    try {
      const counts = await sweep({ database, eventLog, dispatcher, log });
      log.debug(counts, 'swept');
    } catch (err) {
      log.warn({ err }, 'sweep failed; the next round tries again');
    }
  });
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
  const stopCompleting = everyWithLease(redis, 'deletions', SWEEP_EVERY_MS, async () => {
    try {
      const swept = await deletions.sweep();
      log.debug({ swept }, 'went on with deletions');
    } catch (err) {
      log.warn({ err }, 'going on with deletions failed; the next round tries again');
    }
  });
  const stopForgetting = everyWithLease(redis, 'retention', RETENTION_EVERY_MS, async () => {
    try {
      const counts = await deleteOld(database, deletions, config.retention);
      log.info(counts, 'deleted what was kept long enough');
    } catch (err) {
      log.warn({ err }, 'retention failed; the next round tries again');
    }
  });
  const stopTidying = everyWithLease(redis, 'orphans', RETENTION_EVERY_MS, async () => {
    try {
      const swept = await assets.sweep(new Date(Date.now() - ORPHANED_AFTER_MS));
      log[swept > 0 ? 'info' : 'debug']({ assets: swept }, 'removed bytes without a record');
    } catch (err) {
      log.warn({ err }, 'looking for bytes without a record failed; the next round tries again');
    }
  });
  const stopCounting = everyWithLease(redis, 'storage', RETENTION_EVERY_MS, async () => {
    try {
      const wrong = await assets.quota.recount();
      log[wrong > 0 ? 'info' : 'debug']({ scopes: wrong }, 'counted what scopes store');
    } catch (err) {
      log.warn({ err }, 'counting what scopes store failed; the next round tries again');
    }
  });
  const search = openSearch({ ...config.index, log });
  const stopMaintaining = maintainIndex(redis, search, log);
  const stopTending = tendKnowledge(redis, {
    database,
    eventLog,
    search,
    assets,
    blobs,
    keys: new KnowledgeKeys(database),
    deadlineMs: config.knowledge.deadlineMs,
    log,
  });
  const indexLease = new Leadership(redis, 'texts');
  const stopIndexing = indexTexts({ database, search, lease: indexLease, log });
  const deliverer = new Deliverer({
    database,
    outbound: createOutbound(config.outbound),
    load: createLoadSubject(database, await openAddresses(database, config)),
    log,
    keepMs: config.retention.webhooksMs,
  });
  const workers = createWorkerRegistry(redis);
  const feeder = new Feeder({
    database,
    dispatcher,
    redis,
    planner: createRequestPlanner({
      database,
      workers: () => workers.recentWorkers(),
      defaults: { chatModel: config.chat.defaultModel, ...config.iris },
    }),
    limits: { maxDepth: config.queue.maxDepth, window: config.batches.window },
    tellFeed: eventLog.tell,
    tell: async ({ id, owner, webhook_url: url, retries }) => {
      if (url === null) return;
      const subject = { batch_id: id, round: retries };
      await noteDelivery(database, { owner, event: 'batch.completed', url, subject }, config.retention.webhooksMs);
      eventLog.wake(WEBHOOKS_CHANNEL);
    },
    log,
  });
  const { registry } = createWorkerMetrics();
  const health = publishHealth({
    redis,
    pool: 'system',
    log,
    metrics: () => registry.getMetricsAsJSON(),
    read: () => ({ active: 0, concurrency: 1, models: [], providers: [], default_model: null }),
  });
  await health.start();
  const wake = () => deliverer.wake();
  await hub.listen(WEBHOOKS_CHANNEL, { receive: wake, lookAgain: wake, lastHeardAt: 0, close: () => undefined });
  await listenForBatches(hub, feeder);
  onShutdown(log, async () => {
    await health.withdraw().catch(() => undefined);
    const upkeep = [stopIndexing(), stopMaintaining(), stopTending()];
    const sweeps = [stopSweeping(), stopCompleting(), stopForgetting(), stopTidying(), stopCounting()];
    const rounds = [...sweeps, ...upkeep, feeder.close()];
    await Promise.all([...rounds, deliverer.close(config.shutdownGraceMs)]);
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
