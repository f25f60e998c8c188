import { pipeline } from 'node:stream/promises';
import { ChorusError, isTerminal, type JobKind, toErrorBody } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import type { Work } from '@chorus/executions';
import type { JobPlan } from '@chorus/jobs';
import { dispatchWork, requesterOf, type WorkRequest, waitForEnd } from '../executes.ts';
import { sendJson } from '../http/answer.ts';
import { sendErrorBody } from '../http/answer-error.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { answerFailure, dropInput } from '../responses/openai-style.ts';
import { type Rename, renameFields } from './check-fields.ts';

/**
 * Presents the result of a succeeded execution: a body, or for long results the pieces of its JSON. Undefined: it
 * has answered itself.
 */
export type Present = (record: ExecutionRecord, context: PresentContext) => unknown;
export type PresentContext = Pick<ScopedContext, 'services' | 'owner' | 'addresses' | 'response'>;

/** Answers with an execution's events in the frames of an endpoint. */
export type Stream = (context: ScopedContext, record: ExecutionRecord, reader: EventReader) => Promise<void>;

/** As long as OpenAI's and Anthropic's clients wait by default. */
const WAIT_MS = 600_000;

/** Answers a request whose execution has begun. The reader starts with the first event. */
export type Deliver = (record: ExecutionRecord, reader: EventReader) => Promise<undefined>;

/** Plans and dispatches a request, and answers it. */
export async function runWork<K extends JobKind, Request extends WorkRequest>(
  context: ScopedContext,
  { plan }: JobPlan<K, Request>,
  request: Request,
  { ignored, rename }: { ignored: readonly string[]; rename: Rename },
  deliver: Deliver,
): Promise<undefined> {
  const planned = await plan(request, requesterOf(context), context.services).catch((error) => {
    throw renameFields(error, rename);
  });
  const { ignoredFields = [], ...work } = planned;
  const own = ignoredFields.map((name) => rename(`body.${name}`).replace('body.', ''));
  const names = [...new Set([...ignored, ...own])];
  if (names.length > 0) context.response.setHeader('X-Ignored-Fields', names.join(', '));
  const { record, reader } = await dispatchWork(context, work as Work, request, { follow: true });
  if (reader === null) throw new Error('Dispatched without a reader');
  return begin(context, record, reader, deliver);
}

/** Answers with the execution of an earlier request with the same `Idempotency-Key`. */
export async function joinWork(context: ScopedContext, id: string, deliver: Deliver): Promise<undefined> {
  const { services, owner } = context;
  const record = await services.database.executions.get(owner, id);
  if (record === null) throw unknownRecord('job');
  if (!isTerminal(record.status)) await holdPlace(context, 'waits');
  return begin(context, record, await services.hub.open(id, 0), deliver);
}

function begin(context: ScopedContext, record: ExecutionRecord, reader: EventReader, deliver: Deliver) {
  context.executionId = record.id;
  context.response.setHeader('X-Execution-ID', record.id);
  dropInput(record);
  return deliver(record, reader);
}

/** Waits for the end and answers with the result, or streams the events. */
export async function answerEnd(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  present: Present,
  stream: Stream | null,
): Promise<undefined> {
  if (stream !== null) return void (await stream(context, record, reader));
  const ended = await waitForSuccess(context, record, reader);
  if (ended === null) return;
  noteWarnings(context, ended);
  const answer = await present(ended, context);
  const { response } = context;
  if (answer === undefined || response.destroyed) return;
  if (!isPieces(answer)) return void sendJson(response, 200, answer);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  await pipeline(answer, response).catch((error) => {
    if (!response.destroyed) throw error;
  });
}

/** Header length that proxies accept. */
const MAX_WARNINGS_LENGTH = 4_000;

/** Lists the warnings in `X-Warnings`, a JSON array in ASCII: OpenAI's bodies have no place for them. */
function noteWarnings({ response }: ScopedContext, { warnings = [] }: ExecutionRecord): void {
  if (warnings.length === 0 || response.headersSent) return;
  const toAscii = (text: string) =>
    text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const lists = warnings.map((_, index) => toAscii(JSON.stringify(warnings.slice(0, warnings.length - index))));
  const list = lists.find(({ length }) => length <= MAX_WARNINGS_LENGTH);
  if (list !== undefined) response.setHeader('X-Warnings', list);
}

/** Returns whether a result is in pieces of JSON. */
export function isPieces(answer: unknown): answer is AsyncIterable<string> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

/**
 * Waits for an execution to succeed. If it does not, answers with the error.
 * @returns null once the request is answered, or the client has disconnected
 */
export async function waitForSuccess(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
): Promise<ExecutionRecord | null> {
  const { response } = context;
  const ended = await waitForEnd(context, record, reader, WAIT_MS, true);
  if (response.destroyed) return null;
  if (ended.status === 'succeeded') return ended;
  if (isTerminal(ended.status)) answerFailure(context, ended);
  else answerUnfinished(context, ended);
  return null;
}

/** Answers that the work takes longer than clients wait, or that this process is stopping. */
export function answerUnfinished(context: ScopedContext, { id, status }: ExecutionRecord): void {
  const message =
    status === 'requires_action'
      ? `A tool call waits for a person's decision: see /api/v1/jobs/${id}.`
      : `The result is not ready yet. The work continues: get it from /api/v1/jobs/${id}.`;
  context.response.setHeader('x-should-retry', 'false');
  sendErrorBody(context, toErrorBody(new ChorusError('timeout', message), context.requestId));
}
