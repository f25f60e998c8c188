import { type BatchKind, ChorusError, type ErrorBody, MAX_BATCH_ITEMS, newId, type Owner } from '@chorus/contract';
import type { BatchFiles, BatchProblem, Database, FileBatchRecord } from '@chorus/database';
import { ItemWriter } from './item-writer.ts';
import { removeBatch } from './stage-batch.ts';

/** Maximum number of problems to report. */
const MAX_PROBLEMS = 100;

/** A request from a file. With an error, it fails without being run. */
export interface FileItem {
  /** The caller's `custom_id`. */
  id: string;
  kind: BatchKind;
  /** A request of the kind. */
  body: Record<string, unknown>;
  /** Fields of the caller's request that decide how its result is presented. */
  kept: Record<string, unknown>;
  error?: ErrorBody;
}

/** A line of a file, or why it is not a request. */
export type FileLine = { number: number; chars: number } & (
  | { item: FileItem }
  | { problem: Omit<BatchProblem, 'line'> }
);

export interface FileBatchRequest {
  owner: Owner;
  agentId: string | null;
  apiKeyId: string | null;
  requestId: string | null;
  metadata: Record<string, string>;
  /** Default: in 24 hours. */
  expiresAt?: Date;
  files: Pick<BatchFiles, 'endpoint' | 'input' | 'keep_s'>;
  lines: AsyncIterable<FileLine>;
}

type Stores = Pick<Database, 'batches' | 'batchItems' | 'fileBatches'>;

/**
 * Creates a batch from the lines of a file. If some of them are not requests, the batch fails, and none of it runs.
 *
 * @throws {ChorusError} store_unavailable, errors of reading `lines`
 */
export async function createFileBatch(database: Stores, request: FileBatchRequest): Promise<FileBatchRecord> {
  const { owner, metadata, lines } = request;
  const id = newId('batch');
  const { agentId: agent_id, apiKeyId: api_key_id, requestId: request_id } = request;
  const files: BatchFiles = {
    ...request.files,
    output: null,
    errors: null,
    problems: [],
    written_at: null,
  };
  const common = { kind: null, defaults: {}, webhook_url: null, expires_at: request.expiresAt };
  await database.batches.begin({ ...common, id, owner, metadata, agent_id, api_key_id, request_id, files });
  try {
    const { total, failed, problems } = await storeLines(database, owner, id, lines);
    if (problems.length > 0) {
      await database.batchItems.remove(id);
      return notNull(await database.fileBatches.fail(owner, id, problems));
    }
    await database.batches.commit(owner, id, { total, failed, ordered: false });
    return notNull(await database.fileBatches.get(owner, id));
  } catch (error) {
    await removeBatch(database, id).catch(() => undefined); // the sweep removes it later
    throw error;
  }
}

function notNull(record: FileBatchRecord | null): FileBatchRecord {
  if (record === null) throw new ChorusError('conflict', 'Reading the file of the batch took too long.');
  return record;
}

async function storeLines(database: Stores, owner: Owner, id: string, lines: AsyncIterable<FileLine>) {
  const writer = new ItemWriter(database, owner, id);
  const seen = new Set<string>();
  const problems: BatchProblem[] = [];
  let failed = 0;
  let index = 0;
  for await (const line of lines) {
    const problem = problemOf(line, seen, index);
    if (problem !== null) problems.push(problem);
    if (problems.length >= MAX_PROBLEMS || index >= MAX_BATCH_ITEMS) break;
    const item = problems.length === 0 && 'item' in line ? { ...line.item, index, after: [] } : null;
    if (item?.error) failed += 1;
    await writer.add(item, line.chars);
    index += 1;
  }
  if (index === 0 && problems.length === 0)
    problems.push({ code: 'empty_file', message: 'The file has no requests.', line: null, param: null });
  if (problems.length === 0) await writer.flush();
  return { total: index, failed, problems };
}

function problemOf(line: FileLine, seen: Set<string>, index: number): BatchProblem | null {
  if (index >= MAX_BATCH_ITEMS)
    return {
      code: 'too_many_tasks',
      message: `A batch may have up to ${MAX_BATCH_ITEMS} requests.`,
      line: null,
      param: null,
    };
  if ('problem' in line) return { ...line.problem, line: line.number };
  const { id } = line.item;
  if (!seen.has(id)) {
    seen.add(id);
    return null;
  }
  const message = `The custom_id ${JSON.stringify(id)} is used by an earlier line. It must be unique in the file.`;
  return { code: 'duplicate_custom_id', message, line: line.number, param: 'custom_id' };
}
