import type { Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { newExecution } from '@chorus/executions';

/** A queued execution of a chat turn, as the API stores it; `more` says what else it is. */
export const executionRecord = (owner: Owner, id: string, more: Partial<ExecutionRecord>): ExecutionRecord => ({
  ...newExecution({ id, owner, kind: 'chat.completion', model: 'compatible/words-20', input: {} }),
  ...more,
});
