import { connectDatabase, type Database } from '@chorus/database';
import {
  connectRedis,
  createEventHub,
  createEventLog,
  type EventHub,
  type EventLog,
  logOutages,
  type RedisConfig,
  type RedisConnection,
  warnOfEviction,
} from '@chorus/events';
import { createLogger, type Logger } from '@chorus/runtime/log';
import type { ProviderMetrics } from '@chorus/runtime/metrics';
import { tracedCalls } from '@chorus/runtime/tracing';
import { secureChildren } from '@chorus/sandbox';
import type { SecretKeySource } from '@chorus/secrets';
import { holdLease, type ProcessLease } from './lease/process-lease.ts';
import { measureProcess } from './metrics.ts';

export interface WorkerConfig {
  logLevel: string;
  privatePaths: readonly string[];
  mongodbUri: string;
  /** Null: the pool uses no stored secrets. */
  secretKey: SecretKeySource | null;
  redis: RedisConfig;
  queue: { shards: number };
  events: { maxLength: number; keepMs: number };
}

export interface WorkerConnections {
  log: Logger;
  database: Database;
  redis: RedisConnection;
  subscriber: RedisConnection;
  /** Reads events over `subscriber`. */
  hub: EventHub;
  eventLog: EventLog;
  lease: ProcessLease;
  /** Measures calls to providers. */
  observer: ProviderMetrics;
  close(): Promise<void>;
}

export async function connectWorker(name: string, config: WorkerConfig): Promise<WorkerConnections> {
  const log = createLogger({ name, level: config.logLevel });
  secureChildren(config.privatePaths, log);
  const database = await connectDatabase({ uri: config.mongodbUri, secretKey: config.secretKey, log, waits: true });
  const redis = connectRedis(config.redis, 'worker');
  const subscriber = connectRedis(config.redis, 'worker');
  for (const connection of [redis, subscriber]) logOutages(connection, config.redis, log);
  warnOfEviction(redis, config.redis, log);
  const hub = createEventHub(redis, subscriber, log);
  const lease = holdLease(config.redis, redis, log, config.queue.shards);
  return {
    log,
    database,
    redis,
    subscriber,
    hub,
    eventLog: createEventLog(redis, config.events),
    lease,
    observer: tracedCalls(measureProcess(name)),
    close: async () => {
      await lease.release().catch(() => undefined);
      hub.close();
      redis.disconnect();
      await database.close();
    },
  };
}

export function onShutdown(log: Logger, close: () => Promise<void>): void {
  let closing = false;
  const shutDown = async (signal: string) => {
    if (closing) return;
    closing = true;
    log.info({ signal }, 'shutting down');
    try {
      await close();
      process.exit(0);
    } catch (err) {
      log.error({ err }, 'shutdown failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}
