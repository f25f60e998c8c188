import { createLogger } from '@chorus/runtime/log';
import { sharedStore } from '@chorus/testing';
import { connectDatabase, type Database } from './connect-database.ts';

/** Connects to a database that no other test uses. */
export async function openTestDatabase(): Promise<{ uri: string; database: Database; close(): Promise<void> }> {
  const store = await sharedStore();
  const database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
  return {
    uri: store.uri,
    database,
    async close() {
      await database.close();
      await store.stop();
    },
  };
}
