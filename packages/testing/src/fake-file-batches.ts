import type { ServerResponse } from 'node:http';
import { type FakeBatch, type FakeBatches, type FakeBatchItem, linesOf, toLines } from './fake-batches.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';

/** Few, so that tests see several pages. */
const PAGE_SIZE = 2;

type Answer = (request: FakeRequest, response: ServerResponse) => boolean;

/**
 * Serves the files and batches of OpenAI, Groq, and Mistral below a base path. Returns false for other requests.
 * @param answer sends a new batch
 */
export function fileBatches(
  batches: FakeBatches,
  base: string,
  dialect: 'openai' | 'groq' | 'mistral',
  answer: (response: ServerResponse, value: unknown) => void,
): Answer {
  const place = dialect === 'mistral' ? '/batch/jobs' : '/batches';
  const show = (batch: FakeBatch) => (dialect === 'mistral' ? jobOf(batches, batch) : batchOf(batches, batch));
  return (request, response) => {
    if (!request.path.startsWith(base)) return false;
    const path = request.path.slice(base.length);
    if (/^\/files(\/|$)/.test(path)) return answerFile(batches, path.slice('/files'.length), request, response);
    if (!path.startsWith(place)) return false;
    const [, id, action] = path.slice(place.length).split('/');
    if (id) {
      const batch = batches.find(id);
      if (batch === null)
        sendJson(response, 404, { error: { message: `No batch ${id}`, type: 'invalid_request_error' } });
      else {
        if (action === 'cancel') batches.cancel(batch);
        sendJson(response, 200, show(batch));
      }
    } else if (request.method === 'GET') sendJson(response, 200, listOf(batches, request, dialect, show));
    else {
      const problem = createFrom(batches, base, request.body);
      if (typeof problem === 'string')
        sendJson(response, 400, { error: { message: problem, type: 'invalid_request_error' } });
      else answer(response, show(problem));
    }
    return true;
  };
}

function answerFile(batches: FakeBatches, path: string, request: FakeRequest, response: ServerResponse): boolean {
  const [, id, action] = path.split('/');
  if (request.method === 'POST') {
    const file = request.form.find(({ name }) => name === 'file')?.value;
    const purpose = request.form.find(({ name }) => name === 'purpose')?.value;
    if (!Buffer.isBuffer(file) || purpose !== 'batch')
      sendJson(response, 400, { error: { message: 'no file for a batch' } });
    else {
      const newId = batches.newId('file-');
      batches.files.set(newId, file);
      sendJson(response, 200, { id: newId, object: 'file', bytes: file.length, filename: 'batch.jsonl', purpose });
    }
    return true;
  }
  const bytes = batches.files.get(id ?? '') ?? resultFile(batches, id ?? '');
  if (bytes === null) sendJson(response, 404, { error: { message: `No such File object: ${id}` } });
  else if (request.method === 'DELETE') {
    batches.files.delete(id ?? '');
    sendJson(response, 200, { id, object: 'file', deleted: true });
  } else if (action === 'content') {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.end(bytes);
  } else sendJson(response, 200, { id, object: 'file', bytes: bytes.length });
  return true;
}

/** Returns a mistake, or the new batch. */
function createFrom(batches: FakeBatches, base: string, body: Record<string, unknown>): string | FakeBatch {
  const { endpoint, input_file_id, input_files, model, metadata } = body as Record<string, string>;
  const file = batches.files.get(input_file_id ?? input_files?.[0] ?? '');
  if (file === undefined) return 'The input file does not exist.';
  const lines = linesOf(file);
  if (new Set(lines.map(({ custom_id }) => custom_id)).size < lines.length) return 'The ids are not unique.';
  if (input_file_id !== undefined && lines.some(({ url }) => url !== endpoint))
    return 'The URLs differ from the endpoint.';
  const bodies = lines.map((line) => line.body as Record<string, unknown>);
  if (bodies.some((one) => 'stream' in one || 'stream_options' in one)) return 'A batch cannot stream.';
  if (new Set(bodies.map((one) => one.model)).size > 1) return 'A batch has one model.';
  const requests = lines.map(({ custom_id }, index) => ({
    id: String(custom_id),
    path: `${base}${endpoint?.replace(/^\/v1/, '')}`,
    model: String(model ?? bodies[index]?.model),
    body: bodies[index] ?? {},
  }));
  return batches.create('batch_', requests, { endpoint, model, metadata, file: input_file_id ?? input_files?.[0] });
}

const fileIds = (id: string, items: FakeBatchItem[], isGood: (item: FakeBatchItem) => boolean) => ({
  output: items.some(isGood) ? `${id}-output` : null,
  error: items.some((item) => !isGood(item)) ? `${id}-error` : null,
});

const isGood = ({ outcome }: FakeBatchItem) => typeof outcome === 'object' && outcome.status < 300;

function batchOf(batches: FakeBatches, batch: FakeBatch) {
  const state = batches.stateOf(batch);
  const { total, completed, failed } = batches.counts(batch);
  const { output, error } = fileIds(batch.id, batch.items ?? [], isGood);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.given.endpoint,
    errors:
      state === 'failed'
        ? {
            object: 'list',
            data: [{ code: 'token_limit_exceeded', message: 'Enqueued token limit reached.', line: null }],
          }
        : null,
    input_file_id: batch.given.file,
    completion_window: '24h',
    status: state === 'running' ? 'in_progress' : state,
    output_file_id: output,
    error_file_id: error,
    created_at: Math.floor(batch.createdAt / 1000),
    request_counts: { total, completed, failed },
    metadata: batch.given.metadata ?? null,
  };
}

const MISTRAL_STATES = {
  running: 'RUNNING',
  cancelling: 'CANCELLATION_REQUESTED',
  completed: 'SUCCESS',
  expired: 'TIMEOUT_EXCEEDED',
  cancelled: 'CANCELLED',
  failed: 'FAILED',
};

function jobOf(batches: FakeBatches, batch: FakeBatch) {
  const state = batches.stateOf(batch);
  const { total, completed, failed } = batches.counts(batch);
  const { output, error } = fileIds(batch.id, batch.items ?? [], isGood);
  return {
    id: batch.id,
    object: 'batch',
    input_files: [batch.given.file],
    metadata: batch.given.metadata ?? null,
    endpoint: batch.given.endpoint,
    model: batch.given.model,
    output_file: output,
    error_file: error,
    errors: state === 'failed' ? [{ message: 'The file is invalid.', count: 1 }] : [],
    status: MISTRAL_STATES[state],
    created_at: Math.floor(batch.createdAt / 1000),
    total_requests: total,
    completed_requests: completed + failed,
    succeeded_requests: completed,
    failed_requests: failed,
  };
}

/** The results of a batch as a file: answers, or everything else. */
function resultFile(batches: FakeBatches, id: string): Buffer | null {
  const [batchId, kind] = id.split('-');
  const batch = batches.find(batchId);
  if (batch === null || batch.items === null) return null;
  const items = batch.items.filter((item) => isGood(item) === (kind === 'output'));
  return toLines(
    items.map(({ id, outcome }) => {
      const base = { id: `batch_req_${id}`, custom_id: id };
      if (typeof outcome === 'object')
        return {
          ...base,
          response: { status_code: outcome.status, request_id: 'req_fake', body: outcome.body },
          error: null,
        };
      const message = `This request was not executed: ${outcome}.`;
      return { ...base, response: null, error: { code: `batch_${outcome}`, message } };
    }),
  );
}

function listOf(
  batches: FakeBatches,
  { query }: FakeRequest,
  dialect: string,
  show: (batch: FakeBatch) => unknown,
): unknown {
  const all = batches.newest();
  if (dialect === 'mistral') {
    const since = Date.parse(query.created_after ?? '') || 0;
    const size = Number(query.page_size ?? 100);
    const from = Number(query.page ?? 0) * size;
    const data = all.filter(({ createdAt }) => createdAt >= since).slice(from, from + size);
    return { object: 'list', data: data.map(show), total: all.length };
  }
  const after = query.after ?? query.cursor;
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(from, from + PAGE_SIZE);
  const last = data.at(-1)?.id;
  const hasMore = from + PAGE_SIZE < all.length;
  if (dialect === 'groq')
    return { object: 'list', data: data.map(show), paging: { next_cursor: hasMore ? last : null } };
  return { object: 'list', data: data.map(show), first_id: data[0]?.id, last_id: last, has_more: hasMore };
}
