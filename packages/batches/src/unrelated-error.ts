import { isStoreUnavailable } from '@chorus/contract';
import { isRedisAway } from '@chorus/events';
import { NotLeading } from './leadership.ts';

/** Returns whether an error is unrelated to the batch: a store is down, or another process leads. */
export const isAway = (error: unknown): boolean =>
  error instanceof NotLeading || isRedisAway(error) || isStoreUnavailable(error);
