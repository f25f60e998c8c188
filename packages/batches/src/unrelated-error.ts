import { isStoreUnavailable } from '@chorus/contract';
import { isRedisUnavailable } from '@chorus/events';
import { NotLeading } from './leadership.ts';

/** Returns whether an error is unrelated to the batch: a store is down, or another process leads. */
export const isUnrelatedError = (error: unknown): boolean =>
  error instanceof NotLeading || isRedisUnavailable(error) || isStoreUnavailable(error);
