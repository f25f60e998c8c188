// Runs the database tests against a MongoDB: `node scripts/check-mongodb.ts mongodb://…` (or MONGODB_URI). Uses
// and drops only databases named `chorus_check_…`.
import { randomBytes } from 'node:crypto';
import { delimiter, dirname } from 'node:path';
import { dropDatabases } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { runTests } from './checks/tests.ts';
import { findRedis } from './setup/redis.mjs';

const TESTS = ['packages/database', 'packages/accounts', 'packages/conversations', 'packages/executions'];

process.exitCode = await checkMongodb(process.argv[2] ?? process.env.MONGODB_URI);

async function checkMongodb(uri: string | undefined): Promise<number> {
  if (!uri || !/^mongodb(\+srv)?:\/\//.test(uri)) {
    return cannot('usage: node scripts/check-mongodb.ts mongodb://… (or set MONGODB_URI)');
  }
  const version = await versionOf(uri).catch((error: Error) => error);
  if (version instanceof Error) return cannot(`The database can't be used: ${withoutLogin(version.message)}`);
  const redis = await findRedis();
  if (!redis.path) return cannot('The tests of accounts need a Redis server too: `npm test` installs one.');

  const prefix = `chorus_check_${randomBytes(4).toString('hex')}_`;
  console.log(`Checking MongoDB ${version}, in databases whose names begin with ${prefix}`);
  const environment = {
    TEST_MONGODB_URI: uri,
    TEST_MONGODB_PREFIX: prefix,
    PATH: `${dirname(redis.path)}${delimiter}${process.env.PATH}`,
  };
  const { ok, passed, failed } = await runTests(TESTS, { environment });
  const dropped = await dropLeftovers(uri, prefix);
  const passes = ok && passed > 0 && dropped;
  console.log(`\nMongoDB ${version}: ${passed} passed, ${failed} failed. ${passes ? 'Chorus works on it.' : ''}`);
  return passes ? 0 : 1;
}

function cannot(reason: string): number {
  console.error(reason);
  return 2;
}

async function versionOf(uri: string): Promise<string> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    const { version } = await client.db().command({ buildInfo: 1 });
    return String(version);
  } finally {
    await client.close();
  }
}

async function dropLeftovers(uri: string, prefix: string): Promise<boolean> {
  try {
    await dropDatabases(uri, async (client) => {
      const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true });
      return databases.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith(prefix));
    });
    return true;
  } catch (error) {
    console.error(`Databases whose names begin with ${prefix} may be left: ${withoutLogin(String(error))}`);
    return false;
  }
}

function withoutLogin(message: string): string {
  return message.replaceAll(/\/\/[^@/\s]*@/g, '//');
}
