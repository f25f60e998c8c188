import { access, constants } from 'node:fs/promises';
import { ConfigError, exitOnConfigError, loadConfig, reportReady } from '@chorus/config';
import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventLog } from '@chorus/events';
import { createLogger } from '@chorus/log';
import { createProviders, createSharedGates } from '@chorus/providers';
import { onShutdown, startPool } from '@chorus/worker-kit';
import { createHandlers } from './handlers/index.ts';

await exitOnConfigError(async () => {
  const config = loadConfig();
  if (config.embeddedModelPath !== null) await readable('EMBEDDED_MODEL_PATH', config.embeddedModelPath);
  const log = createLogger({ name: 'worker-text', level: config.logLevel });
  const database = await connectDatabase({ uri: config.mongodbUri, log });
  const redis = connectRedis(config.redis, 'worker');
  redis.on('error', (err) => log.warn({ err }, 'redis'));
  const subscriber = connectRedis(config.redis, 'worker');
  subscriber.on('error', (err) => log.warn({ err }, 'redis'));
  const limits = Object.fromEntries(Object.entries(config.providers).map(([name, own]) => [name, own.maxConcurrency]));
  const gates = createSharedGates({ redis, subscriber, limits, log });
  const providers = createProviders(config.providers, {
    log,
    idleTimeoutMs: config.providerIdleTimeoutMs,
    fallbacks: config.chat.fallbacks,
    gateOf: gates.gateOf,
    embeddedModelPath: config.embeddedModelPath,
  });
  await providers.ready(); // the models that this process publishes first are then complete
  const pool = await startPool({
    pool: 'text',
    handlers: createHandlers({
      database,
      providers,
      ...(config.chat.timeoutMs && { turnTimeoutMs: config.chat.timeoutMs }),
    }),
    redis: config.redis,
    store: database,
    eventLog: createEventLog(redis, config.events),
    concurrency: config.pools.text.concurrency,
    timeoutMs: config.chat.timeoutMs,
    log,
    health: () => ({
      models: providers.models(),
      providers: providers.status(),
      default_model: config.chat.defaultModel ?? providers.defaultModel(),
    }),
  });
  onShutdown(log, async () => {
    await pool.close(config.shutdownGraceMs);
    providers.close();
    gates.close();
    subscriber.disconnect();
    redis.disconnect();
    await database.close();
  });
  const first = providers.defaultModel();
  const names = providers.models().map(({ id }) => id);
  reportReady({ models: [...(first === null ? [] : [first]), ...names.filter((id) => id !== first)] });
  log.info({ concurrency: config.pools.text.concurrency }, 'ready');
});

/** @throws {ConfigError} where the file that a variable names can't be read */
async function readable(variable: string, path: string): Promise<void> {
  await access(path, constants.R_OK).catch(() => {
    throw new ConfigError([`${variable} names no file that can be read`]);
  });
}
