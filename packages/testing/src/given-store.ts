import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** A MongoDB that is given to tests in place of the embedded store; they use databases with fresh names there, and drop those. */
const GIVEN_URI = process.env.TEST_MONGODB_URI;

/** What the names of all databases of this run begin with: whoever started it can drop what a test that broke off has left. */
const PREFIX = process.env.TEST_MONGODB_PREFIX ?? `chorus_test_${randomBytes(4).toString('hex')}_`;

/** Whether tests run against a given MongoDB: those of what only the embedded store does, or can be made to do, are skipped then. */
export const storeIsGiven = Boolean(GIVEN_URI);

/** A connection string with another database; who logs in is looked for where it was. */
export function withDatabase(uri: string, database: string): string {
  const [found, start, login = '', hosts, path = '', query] =
    /^(mongodb(?:\+srv)?:\/\/)([^@/]*@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(uri) ?? [];
  if (found === undefined) throw new TypeError('not a connection string of MongoDB');
  const options = query ? query.split('&') : [];
  if (login && !options.some((option) => /^authSource=/i.test(option))) options.push(`authSource=${path || 'admin'}`);
  return `${start}${login}${hosts}/${database}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

/** Fresh databases of the given MongoDB; `drop` drops all that were asked for. Null where none is given. */
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

/** Drops the databases that `choose` picks from the names of all. */
export async function dropDatabases(uri: string, choose: (client: MongoClient) => Promise<string[]>): Promise<void> {
  const client = new MongoClient(uri);
  try {
    for (const name of await choose(client)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
