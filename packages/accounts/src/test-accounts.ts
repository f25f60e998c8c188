import { randomBytes, randomUUID } from 'node:crypto';
import type { ChorusError, TokenAnswer } from '@chorus/contract';
import { connectDatabase, type Database, type UserRecord } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { sharedStore, startRedis, TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import { Redis } from 'ioredis';
import { type Accounts, type AccountsConfig, createAccounts } from './accounts.ts';
import { hashPassword } from './passwords/hash-password.ts';

/** The password of every user that `freshUser` makes. */
export const PASSWORD = 'correct horse';

/** An address that no other test uses. */
export const freshAddress = () => `10.${Array.from(randomBytes(3)).join('.')}`;

/** The code of the error that a call ends with, or `ok`. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: ChorusError) => error.code,
  );

export interface TestAccounts {
  store: TestDatabases;
  database: Database;
  accounts: Accounts;
  /** Another API process: its own caches. */
  elsewhere: Accounts;
  /** One more, with other settings, another database or another Redis. */
  start(over?: Partial<AccountsConfig>, parts?: { database?: Database; redis?: Redis }): Promise<Accounts>;
  /** Another database of the same store; `stop` closes it. */
  openDatabase(name: string): Promise<Database>;
  freshUser(): Promise<UserRecord>;
  /** The tokens of a fresh user. */
  loggedIn(): Promise<TokenAnswer>;
  stop(): Promise<void>;
}

/** Accounts as two API processes have them, on a store and a Redis of their own. */
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
