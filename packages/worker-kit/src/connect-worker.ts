import { connectDatabase, type Database } from '@chorus/database';
import {
  connectRedis,
  createEventLog,
  type EventLog,
  noteOutages,
  type RedisConfig,
  type RedisConnection,
} from '@chorus/events';
import { createLogger, type Logger } from '@chorus/log';
import { secureChildren } from '@chorus/sandbox';
import type { SecretKeySource } from '@chorus/secrets';

/** What a worker reads of the configuration to find its stores. */
export interface WorkerConfig {
  logLevel: string;
  privatePaths: readonly string[];
  mongodbUri: string;
  /** Null for a pool that uses no stored secrets. */
  secretKey: SecretKeySource | null;
  redis: RedisConfig;
  events: { maxLength: number; keepMs: number };
}

export interface WorkerConnections {
  log: Logger;
  database: Database;
  /** For commands: they wait while Redis is away. */
  redis: RedisConnection;
  /** For messages alone. */
  subscriber: RedisConnection;
  eventLog: EventLog;
  close(): Promise<void>;
}

/** What every worker process begins with: its log, the document store, Redis twice, the event log. */
export async function connectWorker(name: string, config: WorkerConfig): Promise<WorkerConnections> {
  const log = createLogger({ name, level: config.logLevel });
  secureChildren(config.privatePaths, log);
  const database = await connectDatabase({ uri: config.mongodbUri, secretKey: config.secretKey, log, waits: true });
  const redis = connectRedis(config.redis, 'worker');
  const subscriber = connectRedis(config.redis, 'worker');
  for (const connection of [redis, subscriber]) noteOutages(connection, config.redis, log);
  return {
    log,
    database,
    redis,
    subscriber,
    eventLog: createEventLog(redis, config.events),
    close: async () => {
      subscriber.disconnect();
      redis.disconnect();
      await database.close();
    },
  };
}
