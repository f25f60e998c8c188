import type { Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';

/** A queued execution of a chat turn, as the API stores it; `more` says what else it is. */
export const executionRecord = (owner: Owner, id: string, more: Partial<ExecutionRecord>): ExecutionRecord => ({
  id,
  kind: 'chat.completion',
  surface: 'chat',
  status: 'queued',
  model: 'compatible/words-20',
  provider: 'compatible',
  output: [],
  progress: null,
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
  context: null,
  warnings: [],
  api_key_id: null,
  error: null,
  attempt: 1,
  retry_of: null,
  session_id: null,
  message_id: null,
  batch_id: null,
  metadata: {},
  owner,
  input: {},
  finish_reason: null,
  checkpoint: null,
  request_id: null,
  created_at: new Date(),
  started_at: null,
  finished_at: null,
  ...more,
});
