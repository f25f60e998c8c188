import type { ServerResponse } from 'node:http';
import type { ExecutionRecord } from '@chorus/database';
import { sendJson } from '../http/answer.ts';
import { errorOf } from './openai-style.ts';

/** Answers with what an execution failed with, as the status of the answer itself: for clients who look at nothing else. */
export function answerFailure(response: ServerResponse, record: ExecutionRecord): void {
  // And sending the same again by itself would run it twice.
  response.setHeader('x-should-retry', 'false');
  const error = errorOf(record);
  if (error.status === 409 || error.status === 429 || error.status === 503) response.setHeader('Retry-After', 1);
  sendJson(response, error.status, { error: { ...error, execution_id: record.id } });
}
