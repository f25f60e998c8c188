import { type Accounts, createAccounts } from '@chorus/accounts';
import type { Config } from '@chorus/config';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { createLogger, type Logger } from '@chorus/log';

/** What the accounts stand on. */
export interface Stores {
  config: Config;
  database: Database;
  redis: RedisConnection;
  log: Logger;
}

/** Runs something on the accounts of these stores. */
export async function connected(
  config: Config,
  act: (accounts: Accounts, stores: Stores) => Promise<void>,
): Promise<void> {
  const log = createLogger({ name: 'cli', level: 'silent' });
  const database = await connectDatabase({ uri: config.mongodbUri, secretKey: config.secretKey, log });
  const redis = connectRedis(config.redis, 'request');
  redis.on('error', () => undefined); // its commands fail, and say so
  try {
    const accounts = await createAccounts({ database, redis, log, config: config.auth });
    await act(accounts, { config, database, redis, log });
    await accounts.close();
  } finally {
    redis.disconnect();
    await database.close();
  }
}
