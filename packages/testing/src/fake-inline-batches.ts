import type { ServerResponse } from 'node:http';
import { type FakeBatch, type FakeBatches, type FakeBatchItem, linesOf, toLines } from './fake-batches.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';

/** Few, so that tests see several pages. */
const PAGE_SIZE = 2;

type Answer = (response: ServerResponse, value: unknown) => void;

function sendLines(response: ServerResponse, values: unknown[]): void {
  response.writeHead(200, { 'content-type': 'application/x-jsonl' });
  response.end(toLines(values));
}

/** Serves Anthropic's message batches. Returns false for other requests. */
export function anthropicBatches(batches: FakeBatches, answer: Answer) {
  const place = '/v1/messages/batches';
  const refuse = (response: ServerResponse, status: number, type: string, message: string) =>
    sendJson(response, status, { type: 'error', error: { type, message } });
  return (request: FakeRequest, response: ServerResponse): boolean => {
    const { path, method, query, body } = request;
    if (path !== place && !path.startsWith(`${place}/`)) return false;
    const [, id, action] = path.slice(place.length).split('/');
    const batch = id ? batches.find(id) : null;
    if (id && batch === null) refuse(response, 404, 'not_found_error', `No batch ${id}`);
    else if (batch !== null) {
      const ended = !['running', 'cancelling'].includes(batches.stateOf(batch));
      if (method === 'DELETE') batches.remove(batch);
      if (action === 'cancel') batches.cancel(batch);
      if (action !== 'results') sendJson(response, 200, messageBatch(batches, batch));
      else if (ended) sendLines(response, (batch.items ?? []).map(messageResult));
      else refuse(response, 404, 'not_found_error', 'The batch has no results yet.');
    } else if (method === 'GET') {
      const all = batches.newest();
      const from = query.after_id === undefined ? 0 : all.findIndex((one) => one.id === query.after_id) + 1;
      const data = all.slice(from, from + PAGE_SIZE);
      const has_more = from + PAGE_SIZE < all.length;
      const shown = data.map((one) => messageBatch(batches, one));
      sendJson(response, 200, {
        data: shown,
        has_more,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
      });
    } else {
      const given = (body.requests ?? []) as { custom_id: string; params: Record<string, unknown> }[];
      const wrong = given.find(({ custom_id, params }) => !/^[\w-]{1,64}$/.test(custom_id) || 'stream' in params);
      if (
        given.length === 0 ||
        wrong !== undefined ||
        new Set(given.map(({ custom_id }) => custom_id)).size < given.length
      )
        refuse(response, 400, 'invalid_request_error', `requests: invalid ${wrong?.custom_id ?? ''}`);
      else {
        const requests = given.map(({ custom_id, params }) => ({
          id: custom_id,
          path: '/v1/messages',
          model: String(params.model),
          body: params,
        }));
        answer(response, messageBatch(batches, batches.create('msgbatch_', requests, {})));
      }
    }
    return true;
  };
}

function messageBatch(batches: FakeBatches, batch: FakeBatch) {
  const state = batches.stateOf(batch);
  const { total, completed, failed, expired, cancelled } = batches.counts(batch);
  const counts = { succeeded: completed, errored: failed, canceled: cancelled, expired };
  const processing = total - completed - failed - expired - cancelled;
  const status = state === 'running' ? 'in_progress' : state === 'cancelling' ? 'canceling' : 'ended';
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: status,
    request_counts: { processing, ...counts },
    created_at: new Date(batch.createdAt).toISOString(),
    expires_at: new Date(batch.createdAt + 86_400_000).toISOString(),
    ended_at: status === 'ended' ? new Date().toISOString() : null,
    cancel_initiated_at: batch.cancelledAt === null ? null : new Date(batch.cancelledAt).toISOString(),
    archived_at: null,
    results_url: status === 'ended' ? `https://api.anthropic.com/v1/messages/batches/${batch.id}/results` : null,
  };
}

function messageResult({ id, outcome }: FakeBatchItem) {
  if (outcome === 'cancelled') return { custom_id: id, result: { type: 'canceled' } };
  if (outcome === 'expired') return { custom_id: id, result: { type: 'expired' } };
  const { status, body } = outcome;
  return {
    custom_id: id,
    result: status < 300 ? { type: 'succeeded', message: body } : { type: 'errored', error: body },
  };
}

/** Serves Google's batches and uploads. Returns false for other requests. */
export function googleBatches(batches: FakeBatches, answer: Answer) {
  const refuse = (response: ServerResponse, code: number, message: string) =>
    sendJson(response, code, { error: { code, message, status: code === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT' } });
  return (request: FakeRequest, response: ServerResponse): boolean => {
    const { path, method, body, headers } = request;
    if (path === '/upload/v1beta/files') {
      if (headers['x-goog-upload-command'] === 'start') {
        const url = `https://generativelanguage.googleapis.com${path}?upload_id=${batches.newId('u')}`;
        sendJson(response, 200, {}, { 'x-goog-upload-url': url });
      } else {
        const name = batches.newId('files/f');
        batches.files.set(name, request.form[0]?.value as Buffer);
        sendJson(response, 200, { file: { name, mimeType: headers['content-type'] } });
      }
      return true;
    }
    const download = /^\/download\/v1beta\/files\/(.+)-output:download$/.exec(path)?.[1];
    if (download !== undefined) {
      const items = batches.find(`batches/${download}`)?.items;
      if (items == null) refuse(response, 404, 'no such file');
      else sendLines(response, items.flatMap(googleResult));
      return true;
    }
    if (method === 'DELETE' && path.startsWith('/v1beta/files/')) {
      batches.files.delete(path.slice('/v1beta/'.length));
      sendJson(response, 200, {});
      return true;
    }
    const created = /^\/v1beta\/models\/([^:]+):(batchGenerateContent|asyncBatchEmbedContent)$/.exec(path);
    if (created !== null) {
      const [, model = '', action] = created;
      const { displayName, inputConfig } = body.batch as { displayName: string; inputConfig: { fileName: string } };
      const file = batches.files.get(inputConfig.fileName);
      if (file === undefined || !displayName) refuse(response, 400, 'The file does not exist.');
      else {
        const call = action === 'batchGenerateContent' ? 'streamGenerateContent' : 'embedContent';
        const requests = linesOf(file).map(({ key, request: asked }) => ({
          id: String(key),
          path: `/v1beta/models/${model}:${call}`,
          model,
          body: asked as Record<string, unknown>,
        }));
        answer(
          response,
          operationOf(batches, batches.create('batches/b', requests, { displayName, model, inputConfig })),
        );
      }
      return true;
    }
    const [, id, action] = /^\/v1beta\/(batches(?:\/[^:]+)?)(?::(\w+))?$/.exec(path) ?? [];
    if (id === undefined) return false;
    const batch = batches.find(id);
    if (id === 'batches') {
      const from = Number(request.query.pageToken ?? 0);
      const next = from + PAGE_SIZE < batches.all.length ? String(from + PAGE_SIZE) : undefined;
      const operations = batches
        .newest()
        .slice(from, from + PAGE_SIZE)
        .map((one) => operationOf(batches, one));
      sendJson(response, 200, { ...(operations.length > 0 && { operations }), nextPageToken: next });
    } else if (batch === null) refuse(response, 404, `no ${id}`);
    else {
      if (method === 'DELETE') batches.remove(batch);
      if (action === 'cancel') batches.cancel(batch);
      sendJson(response, 200, action === undefined && method === 'GET' ? operationOf(batches, batch) : {});
    }
    return true;
  };
}

const GOOGLE_STATES = {
  running: 'RUNNING',
  cancelling: 'RUNNING',
  completed: 'SUCCEEDED',
  expired: 'EXPIRED',
  cancelled: 'CANCELLED',
  failed: 'FAILED',
};

function operationOf(batches: FakeBatches, batch: FakeBatch) {
  const state = batches.stateOf(batch);
  const { total, completed, failed } = batches.counts(batch);
  const done = state !== 'running' && state !== 'cancelling';
  const { displayName, model, inputConfig } = batch.given;
  // Only complete batches have results there.
  const ending =
    state === 'completed'
      ? { response: { responsesFile: `files/${batch.id.slice('batches/'.length)}-output` } }
      : state === 'cancelled'
        ? { error: { code: 1, message: 'Cancelled.' } }
        : state === 'failed'
          ? { error: { code: 3, message: 'The file is invalid.' } }
          : {};
  return {
    name: batch.id,
    metadata: {
      '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
      model: `models/${model}`,
      displayName,
      inputConfig,
      state: `BATCH_STATE_${GOOGLE_STATES[state]}`,
      createTime: new Date(batch.createdAt).toISOString(),
      batchStats: {
        requestCount: String(total),
        ...(completed > 0 && { successfulRequestCount: String(completed) }),
        ...(failed > 0 && { failedRequestCount: String(failed) }),
      },
    },
    ...(done && { done, ...ending }),
  };
}

const RPC_CODES: Record<number, number> = { 400: 3, 404: 5, 429: 8, 503: 14 };

function googleResult({ id, outcome }: FakeBatchItem): unknown[] {
  if (outcome === 'cancelled') return [{ key: id, error: { code: 1, message: 'Cancelled.' } }];
  if (outcome === 'expired') return [];
  const { status, body } = outcome;
  if (status < 300) return [{ key: id, response: body }];
  const { message } = (body as { error: { message: string } }).error;
  return [{ key: id, error: { code: RPC_CODES[status] ?? 13, message } }];
}
