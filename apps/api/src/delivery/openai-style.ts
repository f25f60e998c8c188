import { ChorusError, type ErrorBody, toErrorBody } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';

/** Whether an execution answers a request in OpenAI's form, whose clients throw on an error at the top level and on nothing else. */
export function isOpenAiStyle(record: ExecutionRecord): boolean {
  const source = record.input.source as { type?: unknown } | undefined;
  return record.kind === 'chat.completion' && source?.type === 'messages';
}

/** The error that clients in OpenAI's form are told of an execution without a result. A cancelled one stores none. */
export function errorOf(record: ExecutionRecord): ErrorBody {
  return record.error ?? toErrorBody(new ChorusError('cancelled', 'The execution was cancelled.'), record.request_id);
}

/** Lets go of a record's input, which may be megabytes, and keeps what `isOpenAiStyle` asks for: a stream holds its record to its end. */
export function forgetInput(record: ExecutionRecord): void {
  record.input = isOpenAiStyle(record) ? { source: { type: 'messages' } } : {};
}
