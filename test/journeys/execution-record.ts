import type { Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { newExecution } from '@chorus/executions';

/** Returns a queued execution of a chat turn, overridden by `more`. */
export const executionRecord = (owner: Owner, id: string, more: Partial<ExecutionRecord>): ExecutionRecord => ({
  ...newExecution({ id, owner, kind: 'chat.completion', model: 'compatible/words-20', input: {} }),
  ...more,
});
