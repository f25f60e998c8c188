import {
  ChorusError,
  type ErrorBody,
  openAiStatus,
  publicBatchId,
  toOpenAiError,
  UNSUCCESSFUL_ITEM_STATUSES,
} from '@chorus/contract';
import type { ExecutionRecord, FileBatchRecord, ListedBatchItem } from '@chorus/database';
import { isPieces } from '../../protocols/run-work.ts';
import type { Services } from '../../services.ts';
import { type BatchEndpoint, batchEndpoint } from './batch-endpoints.ts';

/** Items per round trip, and executions in memory at once. One may hold megabytes of text. */
const PAGE_SIZE = 100;
const EXECUTIONS = 10;

/** Joins short lines. */
const CHUNK_CHARS = 65_536;

export interface OutputParts {
  services: Pick<Services, 'database' | 'assets'>;
  /** Called between steps. Throws if another process writes the files. */
  checkpoint(): Promise<void>;
}

type Item = Pick<ListedBatchItem, 'index' | 'id' | 'status' | 'execution_id' | 'error' | 'kept'>;

/** Writes the lines of the requests that succeeded, in the order of the input. */
export async function* outputLines(parts: OutputParts, batch: FileBatchRecord): AsyncGenerator<Buffer> {
  const endpoint = batchEndpoint(batch.files.endpoint);
  yield* chunksOf(resultsOf(parts, batch, endpoint));
}

/** Writes the lines of the requests that failed or were not run. */
export async function* errorLines(parts: OutputParts, batch: FileBatchRecord): AsyncGenerator<Buffer> {
  yield* chunksOf(failuresOf(parts, batch));
}

async function* resultsOf(parts: OutputParts, batch: FileBatchRecord, endpoint: BatchEndpoint): AsyncGenerator<string> {
  const { database } = parts.services;
  for await (const items of pagesOf(parts, batch, 'succeeded')) {
    for (let at = 0; at < items.length; at += EXECUTIONS) {
      const some = items.slice(at, at + EXECUTIONS);
      const ids = some.flatMap(({ execution_id }) => execution_id ?? []);
      const records = new Map((await database.executions.getMany(batch.owner, ids)).map((one) => [one.id, one]));
      for (const item of some) yield* resultOf(parts, batch, item, endpoint, records.get(item.execution_id ?? ''));
    }
  }
}

async function* resultOf(
  { services }: OutputParts,
  batch: FileBatchRecord,
  item: Item,
  endpoint: BatchEndpoint,
  record: ExecutionRecord | undefined,
): AsyncGenerator<string> {
  const head = headOf(batch, item);
  const present = async () => record && endpoint.present(record, item.kept, { services });
  const body = await present().catch(undefinedIfGone);
  if (body === undefined || record === undefined) {
    yield `${head},"response":null,"error":{"code":"not_found","message":"The result has been deleted."}}\n`;
    return;
  }
  const common = JSON.stringify({ status_code: 200, request_id: record.id });
  yield `${head},"response":${common.slice(0, -1)},"body":`;
  if (isPieces(body)) yield* body;
  else yield JSON.stringify(body);
  yield '},"error":null}\n';
}

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ChorusError && error.code === 'not_found')) throw error;
}

async function* failuresOf(parts: OutputParts, batch: FileBatchRecord): AsyncGenerator<string> {
  for (const status of UNSUCCESSFUL_ITEM_STATUSES) {
    for await (const items of pagesOf(parts, batch, status)) {
      for (const item of items) {
        const { response, error } = failureOf(item, batch);
        yield `${headOf(batch, item)},"response":${JSON.stringify(response)},"error":${JSON.stringify(error)}}\n`;
      }
    }
  }
}

function failureOf({ status, error, execution_id }: Item, { files }: FileBatchRecord) {
  const isExpired = status === 'expired';
  if (error !== null && !isExpired) {
    const body = { error: toOpenAiError(inOwnBody(error)) };
    return { response: { status_code: openAiStatus(error), request_id: execution_id, body }, error: null };
  }
  const notRun =
    isExpired || files.expired
      ? { code: 'batch_expired', message: 'This request was not run before the completion window expired.' }
      : { code: 'batch_cancelled', message: 'This request was not run because the batch was cancelled.' };
  return { response: null, error: notRun };
}

/** Names the fields of an error as they are in the body of the request, not in the batch. */
function inOwnBody(error: ErrorBody): ErrorBody {
  const inBody = (text: string) => text.replace(/^body\.items\.\d+\.body(?=[.:]|$)/, 'body');
  const details = error.details.map(({ path, message }) => ({ path: inBody(path), message }));
  return { ...error, message: inBody(error.message), details };
}

function headOf({ id }: FileBatchRecord, item: Item): string {
  const name = publicBatchId(id).replace('_', '_req_');
  return JSON.stringify({ id: `${name}_${item.index}`, custom_id: item.id }).slice(0, -1);
}

async function* pagesOf({ services, checkpoint }: OutputParts, { id }: FileBatchRecord, status: Item['status']) {
  for (let after: string | undefined; ; ) {
    await checkpoint();
    const page = await services.database.batchItems.list(id, { limit: PAGE_SIZE, after, status });
    yield page.data;
    if (page.next_cursor === null) return;
    after = page.next_cursor;
  }
}

async function* chunksOf(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < CHUNK_CHARS) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}
