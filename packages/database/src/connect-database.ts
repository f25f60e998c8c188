import type { Logger } from '@chorus/log';
import type { Database } from './repositories.ts';

export interface ConnectDatabaseOptions {
  /** A MongoDB connection string, such as `mongodb://localhost:27017/chorus`. */
  uri: string;
  log: Logger;
}

/** Connects to the document store and makes sure that its indexes exist. */
export async function connectDatabase(options: ConnectDatabaseOptions): Promise<Database> {
  throw new Error(`not written yet: ${options.uri.length}`);
}
