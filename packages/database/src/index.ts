export type * from './account-records.ts';
export type * from './account-repositories.ts';
export type * from './asset-records.ts';
export type * from './batch-records.ts';
export { type ConnectDatabaseOptions, connectDatabase } from './connect-database.ts';
export type * from './provenance-records.ts';
export type * from './records.ts';
export type * from './repositories.ts';
export type * from './webhook-records.ts';
