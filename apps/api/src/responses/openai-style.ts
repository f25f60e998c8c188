import { ChorusError, type ErrorBody, findKind, toErrorBody, toOpenAiError } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { sendErrorBody } from '../http/answer-error.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Caches `isOpenAiStyle` after the input is dropped. */
const OPENAI_STYLE = 'is_open_ai_style';

/** Returns whether the request has OpenAI's form. OpenAI's clients only throw on a top-level error. */
export function isOpenAiStyle(record: ExecutionRecord): boolean {
  const { [OPENAI_STYLE]: known } = record.input;
  return known === undefined ? (findKind(record.kind)?.openAi?.isStrict(record.input) ?? false) : known === true;
}

/** Returns the error of an execution without a result. Cancelled ones store none. */
export function errorOf(record: ExecutionRecord): ErrorBody {
  return record.error ?? toErrorBody(new ChorusError('cancelled', 'The execution was cancelled.'), record.request_id);
}

/** Drops a record's input, which may be megabytes, since a stream holds its record until it ends. */
export function dropInput(record: ExecutionRecord): void {
  const kept = (findKind(record.kind)?.repeats ?? []).map((name) => [name, record.input[name]]);
  record.input = { ...Object.fromEntries(kept), [OPENAI_STYLE]: isOpenAiStyle(record) };
}

/** Formats an execution's error as a stream's last frame, for which OpenAI's clients throw. */
export const errorFrame = (record: ExecutionRecord): string =>
  `data: ${JSON.stringify({ error: toOpenAiError(errorOf(record)) })}\n\n`;

/** Answers with an execution's error as the response's status, as OpenAI's clients expect. */
export function answerFailure(context: RequestContext, record: ExecutionRecord): void {
  const { response } = context;
  const error = errorOf(record);
  // An automatic retry would pay again, unless the provider was too busy to begin.
  const hasBegun = record.output.length > 0 || (error.status !== 503 && error.code !== 'provider_rate_limited');
  if (hasBegun) response.setHeader('x-should-retry', 'false');
  const { retry_after_s = error.status === 409 || error.status === 429 || error.status === 503 ? 1 : null } = error;
  if (retry_after_s !== null) response.setHeader('Retry-After', Math.max(1, retry_after_s));
  sendErrorBody(context, { ...error, execution_id: record.id });
}
