import { createAuditLog } from '@chorus/accounts';
import { createAssets } from '@chorus/assets';
import { Feeder, Leadership, listenForBatches } from '@chorus/batches';
import { createBlobs } from '@chorus/blobs';
import { MAINTENANCE } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';
import { WEBHOOKS_CHANNEL } from '@chorus/events';
import { followBudgets, openAddresses, settleLost } from '@chorus/executions';
import { planBatchItem } from '@chorus/jobs';
import { blankQuotes, finishDeletion, KnowledgeKeys, removeAll, sweepKnowledge, sweepOrphans } from '@chorus/knowledge';
import { createOutbound } from '@chorus/outbound';
import { createDeletions, createDispatcher, createWorkerRegistry, eraseLeaving, sweep } from '@chorus/queue';
import { openSearch } from '@chorus/search';
import { createLoadSubject, Deliverer, noteBudgetAlerts, noteDelivery } from '@chorus/webhooks';
import { createWorkerMetrics, type ProcessParts, publishHealth, type Started } from '@chorus/worker-kit';
import { endExpired } from './expiry.ts';
import { indexTexts, maintainIndex } from './index-upkeep.ts';
import { everyWithLease, keepLease } from './lease.ts';
import { measureUpkeep } from './metrics.ts';
import { noteProviderStops } from './provider-stops.ts';
import { deleteOld, deleteTransient } from './retention.ts';

const DELETIONS_EVERY_MS = 5_000;

/** Sweeps pick up work that was abandoned 8 to 15 s ago, and must end it within 30 s. */
const SWEEP_EVERY_MS = 10_000;

/** How soon operators learn that a provider has stopped. */
const STOPS_EVERY_MS = 5_000;
const MINUTELY_MS = 60_000;
const HOURLY_MS = 3_600_000;

/** Starts the upkeep. Several may run: each task has a lease. */
export async function startMaintenance({ config, connections }: ProcessParts): Promise<Started> {
  const { log, database, redis, hub, eventLog } = connections;
  const budgets = await followBudgets(connections);
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: config.queue,
    fallbacks: () => config.chat.fallbacks,
    shards: config.queue.shards,
    budgets,
    log,
  });

  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({ database, blobs, log, publishToFeed: eventLog.publishToFeed });
  const deletions = createDeletions({
    database,
    eventLog,
    dispatcher,
    assets,
    removeEntry: (entry) => finishDeletion(knowledge, entry),
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
    charge: budgets.charge,
    log,
  };
  const every = (everyMs: number, name: string, task: () => Promise<Record<string, number>>) =>
    everyWithLease({ redis, log }, name, everyMs, task);
  // Bytes younger than an hour may still get their record.
  const orphanedBefore = () => new Date(Date.now() - HOURLY_MS);
  const checkBudgets = async () => {
    const settled = await settleLost({ database, budgets });
    const alerts = await noteBudgetAlerts({ database, budgets, keepMs: config.retention.webhooksMs });
    if (alerts > 0) eventLog.wake(WEBHOOKS_CHANNEL);
    return { settled, alerts };
  };
  let isFilled = false;
  const sumUsage = async () => {
    const stopKeeping = keepLease(redis, 'usage', SWEEP_EVERY_MS);
    try {
      if (!isFilled) await database.usage.fill();
      isFilled = true;
      return { executions: await database.usage.collect() };
    } finally {
      stopKeeping();
    }
  };
  const audit = createAuditLog(database.audit, { log, keepMs: config.auth.auditKeepMs });
  const noteStops = async () => {
    const { url = null } = config.operatorWebhook ?? {};
    const keepMs = config.retention.webhooksMs;
    const noted = await noteProviderStops({
      database,
      audit,
      readLanes: dispatcher.lanes.read,
      webhookUrl: url,
      keepMs,
    });
    if (noted.stopped + noted.resumed > 0) eventLog.wake(WEBHOOKS_CHANNEL);
    return noted;
  };
  const removeEntry = (entry: KnowledgeRecord) =>
    removeAll({ database, search, assets, blobs, keys: knowledgeKeys }, entry);
  const eraseUsers = async () => {
    const stopKeeping = keepLease(redis, 'leaving', SWEEP_EVERY_MS);
    try {
      return { users: await eraseLeaving({ database, eventLog, dispatcher, assets, search, removeEntry, log }) };
    } finally {
      stopKeeping();
    }
  };
  const stopSweeps = [
    every(SWEEP_EVERY_MS, 'sweep', () => sweep({ database, eventLog, dispatcher, charge: budgets.charge, log })),
    every(DELETIONS_EVERY_MS, 'deletions', async () => ({ deletions: await deletions.sweep() })),
    every(SWEEP_EVERY_MS, 'knowledge', () => sweepKnowledge(knowledge)),
    every(MINUTELY_MS, 'transient', async () => ({ executions: await deleteTransient(database, deletions) })),
    every(HOURLY_MS, 'retention', () => deleteOld(database, deletions, config.retention)),
    every(SWEEP_EVERY_MS, 'expiry', () => endExpired({ database, assets, deletions })),
    every(SWEEP_EVERY_MS, 'budgets', checkBudgets),
    every(SWEEP_EVERY_MS, 'usage', sumUsage),
    every(STOPS_EVERY_MS, 'provider-stops', noteStops),
    every(HOURLY_MS, 'orphans', async () => ({ assets: await assets.sweep(orphanedBefore()) })),
    every(HOURLY_MS, 'knowledge-orphans', async () => ({ entries: await sweepOrphans(knowledge, orphanedBefore()) })),
    every(SWEEP_EVERY_MS, 'leaving', eraseUsers),
    every(HOURLY_MS, 'shards', async () => ({ counts: await dispatcher.forgetUnusedShards() })),
    every(HOURLY_MS, 'storage', async () => ({ scopes: await assets.quota.recount() })),
  ];
  const indexLease = new Leadership(redis, 'texts');
  // While Redis is down, no process indexes. Its connection has logged that.
  const lease = { acquire: () => indexLease.acquire().catch(() => false) };
  const stopIndexing = indexTexts({ database, search, lease, log });
  const outbound = createOutbound(config.outbound);
  const metrics = createWorkerMetrics(MAINTENANCE);
  const upkeep = measureUpkeep(metrics.registry);
  const deliverer = new Deliverer({
    database,
    outbound,
    operatorSecrets: config.operatorWebhook?.secrets ?? [],
    load: createLoadSubject(database, await openAddresses(database, config)),
    log,
    keepMs: config.retention.webhooksMs,
    onTried: upkeep.webhookTried,
  });
  const registry = createWorkerRegistry(redis, log);
  const jobServices = { config, database, registry, outbound, blobs, assets, knowledgeKeys };
  const feeder = new Feeder({
    database,
    dispatcher,
    redis,
    planner: (kind, request, requester) => planBatchItem(kind, request, requester, jobServices),
    hasBatches: registry.hasBatches,
    limits: { maxDepth: config.queue.maxDepth, window: config.batches.window },
    publishToFeed: eventLog.publishToFeed,
    onEnd: async ({ id, owner, status, webhook_url: url, retries }) => {
      upkeep.batchEnded(status);
      if (url === null) return;
      const subject = { batch_id: id, round: retries };
      await noteDelivery(database, { owner, event: 'batch.completed', url, subject }, config.retention.webhooksMs);
      eventLog.wake(WEBHOOKS_CHANNEL);
    },
    onItemEnded: upkeep.itemEnded,
    log,
  });
  const health = publishHealth({
    redis,
    pool: MAINTENANCE,
    log,
    metrics: metrics.read,
    read: () => ({ active: 0, concurrency: 0, models: [], providers: [], default_model: null }),
  });
  await health.start();
  const wake = () => deliverer.wake();
  await hub.listen(WEBHOOKS_CHANNEL, { receive: wake, recheck: wake, lastHeardAt: Infinity, close: () => undefined });
  await listenForBatches(hub, feeder);
  return {
    async close() {
      await health.withdraw().catch(() => undefined);
      metrics.close();
      const stops = [...stopSweeps, stopMaintaining, stopIndexing].map((stop) => stop());
      await Promise.all([...stops, feeder.close(), deliverer.close(config.shutdownGraceMs)]);
      await indexLease.release().catch(() => undefined);
      budgets.stop();
      await dispatcher.close();
      search.close();
      blobs.close();
    },
  };
}
