import { randomBytes, randomUUID } from 'node:crypto';
import type { ChorusError, TokenAnswer } from '@chorus/contract';
import { connectDatabase, type Database, type UserRecord } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import { Redis } from 'ioredis';
import { createAccounts } from './accounts.ts';
import type { Accounts, AccountsConfig } from './accounts-port.ts';
import { hashPassword } from './passwords/hash-password.ts';

export const PASSWORD = 'correct horse';

/** Returns an address that no other test uses. */
export const freshAddress = () => `10.${Array.from(randomBytes(3)).join('.')}`;

export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: ChorusError) => error.code,
  );

export interface TestAccounts {
  store: TestDatabases;
  database: Database;
  accounts: Accounts;
  /** A second API process with its own caches. */
  elsewhere: Accounts;
  /** Starts another API process with other settings, database or Redis. */
  start(over?: Partial<AccountsConfig>, parts?: { database?: Database; redis?: Redis }): Promise<Accounts>;
  openDatabase(name: string): Promise<Database>;
  freshUser(): Promise<UserRecord>;
  loggedIn(): Promise<TokenAnswer>;
  stop(): Promise<void>;
}

/** Starts accounts in two API processes, with a separate store and Redis. */
export async function startAccounts(): Promise<TestAccounts> {
  const log = createLogger({ name: 'test', level: 'silent' });
  const [store, redisServer] = await Promise.all([sharedStore(), startRedis()]);
  const sharedRedis = new Redis({ path: redisServer.socketPath });
  const opened: Database[] = [];
  const openDatabase = async (name: string) => {
    const database = await connectDatabase({ uri: store.uriOf(name), secretKey: TEST_SECRET_KEY, log });
    opened.push(database);
    return database;
  };
  const shared = await openDatabase('chorus');
  const start: TestAccounts['start'] = (over = {}, { database = shared, redis = sharedRedis } = {}) =>
    createAccounts({
      database,
      redis,
      log,
      config: {
        accessTokenTtlS: 900,
        refreshTokenTtlS: 3_600,
        auditKeepMs: 86_400_000,
        inviteNewUsers: 'operators',
        ...over,
      },
    });
  const [accounts, elsewhere] = await Promise.all([start(), start()]);
  const password_hash = await hashPassword(PASSWORD);
  const freshUser = () => shared.users.create({ email: `${randomUUID()}@example.org`, password_hash, operator: false });

  return {
    store,
    database: shared,
    accounts,
    elsewhere,
    start,
    openDatabase,
    freshUser,
    loggedIn: async () =>
      accounts.login({ email: (await freshUser()).email, password: PASSWORD }, { address: freshAddress() }),
    stop: async () => {
      sharedRedis.disconnect();
      await Promise.all(opened.map((database) => database.close()));
      await Promise.all([store.stop(), redisServer.stop()]);
    },
  };
}
