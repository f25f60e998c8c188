export { type ConnectDatabaseOptions, connectDatabase } from './connect-database.ts';
export type * from './records.ts';
export type * from './repositories.ts';
