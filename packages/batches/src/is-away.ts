import { ChorusError } from '@chorus/contract';
import { isRedisAway } from '@chorus/events';
import { NotLeading } from './leadership.ts';

/** Whether an error says nothing of the batch that it came with: the stores are away, or another process leads. */
export function isAway(error: unknown): boolean {
  if (error instanceof NotLeading || isRedisAway(error)) return true;
  return error instanceof ChorusError && error.code === 'store_unavailable';
}
