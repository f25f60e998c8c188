import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** Uses a given MongoDB instead of the embedded store. Tests create and drop databases with fresh names. */
const GIVEN_URI = process.env.TEST_MONGODB_URI;

/** Prefix of all databases of this run, so that leftovers of interrupted tests can be dropped. */
const PREFIX = process.env.TEST_MONGODB_PREFIX ?? `chorus_test_${randomBytes(4).toString('hex')}_`;

/** Whether tests run against a given MongoDB. Tests of the embedded store alone are then skipped. */
export const storeIsGiven = Boolean(GIVEN_URI);

/** Replaces the database of a connection string, but not the one for authentication. */
export function withDatabase(uri: string, database: string): string {
  const [found, start, login = '', hosts, path = '', query] =
    /^(mongodb(?:\+srv)?:\/\/)([^@/]*@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(uri) ?? [];
  if (found === undefined) throw new TypeError('not a connection string of MongoDB');
  const options = query ? query.split('&') : [];
  if (login && !options.some((option) => /^authSource=/i.test(option))) options.push(`authSource=${path || 'admin'}`);
  return `${start}${login}${hosts}/${database}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

/** Returns fresh databases of the given MongoDB, and `drop` for all of them. Null if none is given. */
export function givenStore(): { uriOf(database: string): string; drop(): Promise<void> } | null {
  if (!GIVEN_URI) return null;
  const own = `${PREFIX}${randomBytes(4).toString('hex')}_`;
  const used = new Set<string>();
  return {
    uriOf: (database) => {
      used.add(`${own}${database}`);
      return withDatabase(GIVEN_URI, `${own}${database}`);
    },
    drop: () => dropDatabases(GIVEN_URI, async () => [...used]),
  };
}

/** Drops the databases that `choose` selects. */
export async function dropDatabases(uri: string, choose: (client: MongoClient) => Promise<string[]>): Promise<void> {
  const client = new MongoClient(uri);
  try {
    for (const name of await choose(client)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
