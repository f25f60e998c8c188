import { type Accounts, createAccounts } from '@chorus/accounts';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, type RedisConnection } from '@chorus/events';
import type { Config } from '@chorus/runtime/config';
import { createLogger, type Logger } from '@chorus/runtime/log';

export interface Stores {
  config: Config;
  database: Database;
  redis: RedisConnection;
  log: Logger;
}

export async function withConnectedAccounts(
  config: Config,
  act: (accounts: Accounts, stores: Stores) => Promise<void>,
): Promise<void> {
  const log = createLogger({ name: 'cli', level: 'silent' });
  const database = await connectDatabase({ uri: config.mongodbUri, secretKey: config.secretKey, log });
  const redis = connectRedis(config.redis, 'request');
  redis.on('error', () => undefined); // commands then fail and report it
  try {
    const accounts = await createAccounts({ database, redis, log, config: config.auth });
    await act(accounts, { config, database, redis, log });
    await accounts.close();
  } finally {
    redis.disconnect();
    await database.close();
  }
}
