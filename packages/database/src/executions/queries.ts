import type { Filter } from 'mongodb';
import type { StoredExecution } from './schema.ts';

export type ExecutionFilter = Filter<StoredExecution>;

export type Projected<Fields> = Pick<StoredExecution, '_id' | (keyof Fields & keyof StoredExecution)>;

export const OWNER = { scope_key: 1, user_id: 1 } as const;
/** Excludes deleted executions, which are only kept for their usage. */
export const SHOWN = { deleted: null } as unknown as ExecutionFilter;
