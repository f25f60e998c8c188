import type { SaveFile, Toolbox } from '@chorus/agent-tools';
import { assetFactsOf, createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { followBudgets } from '@chorus/executions';
import { findPassages, keepSearchReady, readDocument } from '@chorus/knowledge/answering';
import { createOutbound } from '@chorus/outbound';
import type { OpenedProviders } from '@chorus/providers';
import { createDispatcher, createWorkerRegistry } from '@chorus/queue';
import { openSearch } from '@chorus/search';
import { createHandlers, type ProcessParts, type Started, startPool } from '@chorus/worker-kit';
import { EconomyRunner } from './economy/economy-runner.ts';
import type { AnswerParts } from './handlers/answer-parts.ts';
import * as handlers from './handlers/index.ts';
import { createWebImages } from './handlers/web-images.ts';
import { titleSessions } from './title-sessions.ts';

/** Starts the worker of the pool `text`. */
export async function startText({
  config,
  connections,
  providers,
}: ProcessParts & { providers: OpenedProviders }): Promise<Started> {
  const { log, database, eventLog, redis, hub } = connections;
  const blobs = createBlobs(config.blobs, log);
  const assets = createAssets({
    database,
    blobs,
    log,
    limits: config.assets.limits,
    quotaBytes: () => config.assets.quotaBytes,
  });
  const search = openSearch({ ...config.index, log });
  const passages = { database, search, embed: providers.embedTexts, log };
  const find: AnswerParts['findPassages'] = (...asked) => findPassages(passages, ...asked);
  const { queue } = config;
  const budgets = await followBudgets(connections);
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: queue,
    fallbacks: () => config.chat.fallbacks,
    shards: queue.shards,
    budgets,
    log,
  });
  const saveFile: SaveFile = async ({ bytes, filename }, { owner, executionId }) =>
    assetFactsOf(await assets.create({ owner, executionId, body: bytes, filename }));
  const { titles } = config.chat;
  const naming = titles.enabled ? titleSessions({ database, dispatcher, model: titles.model, log }) : null;
  const { imagePixels: maxPixels } = config.assets.limits;
  const webImages = createWebImages(createOutbound(config.outbound), { maxPixels });
  let toolbox: Promise<Toolbox> | null = null;
  const loadToolbox = async () => {
    const { openToolbox } = await import('./tools/open-toolbox.ts');
    const registry = createWorkerRegistry(redis, log);
    return openToolbox({ config, connections, assets, blobs, saveFile, findPassages: find, dispatcher, registry });
  };
  const handlersWith = (own: OpenedProviders) =>
    createHandlers('text', handlers, {
      database,
      assets,
      webImages,
      providers: own,
      findPassages: find,
      readDocument: (entry) => readDocument(passages, entry),
      saveFile,
      publishToFeed: eventLog.publishToFeed,
      openTools: async (...asked) => {
        toolbox ??= loadToolbox();
        return (await toolbox).open(...asked);
      },
      ...(config.chat.timeoutMs && { turnTimeoutMs: config.chat.timeoutMs }),
    });
  const pool = await startPool({
    pool: 'text',
    handlers: handlersWith(providers),
    redis: config.redis,
    store: database,
    eventLog,
    lease: connections.lease,
    concurrency: config.pools.text.concurrency,
    calls: config.pools.text.calls,
    lanes: providers.lanes,
    shards: queue.shards,
    ...(naming && { onEnded: naming.onEnded }),
    timeoutMs: config.chat.timeoutMs,
    log,
    onHealthChange: providers.onChange,
    health: () => ({
      models: providers.models(),
      providers: providers.status(),
      default_model: config.chat.defaultModel ?? providers.defaultModel(),
    }),
  });
  const economy = new EconomyRunner({
    database,
    eventLog,
    budgets,
    dispatcher,
    pool,
    handlersWith,
    providers,
    pollMs: config.batches.pollMs,
    log,
  });
  const stopPreparing = keepSearchReady(passages);
  const first = providers.defaultModel();
  const names = providers.models().map(({ id }) => id);
  return {
    report: { models: [...(first === null ? [] : [first]), ...names.filter((id) => id !== first)] },
    async close() {
      void stopPreparing(); // not awaited: it may be loading a model
      await economy.close();
      await pool.close(config.shutdownGraceMs);
      budgets.stop();
      await naming?.close();
      await Promise.all([dispatcher.close(), toolbox?.then((opened) => opened.close())]);
      search.close();
      blobs.close();
    },
  };
}
