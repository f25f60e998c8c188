import { ChorusError, type ImportedSession, type ImportResult, type JsonLimits, MAX_IMPORTED } from '@chorus/contract';
import { importConversation, type ReadConversation, readConversation, readInThread } from '@chorus/conversations';
import { splitList } from '../batches/split-json.ts';
import { waitForTurn } from '../http/pace-body.ts';
import { checkJson, parseJson, readJsonBytes } from '../http/read-json.ts';
import type { ScopedContext } from '../http/request-context.ts';

/** Other programs nest messages, and store a lot besides their text. */
const LIMITS: JsonLimits = { depth: 5_000, fields: 50_000, elements: 50_000, nodes: 2_000_000 };

/** Larger conversations are read in a thread. */
const LARGE_BYTES = 500_000;

/**
 * Imports the conversations of a body, one at a time. Those that cannot be read are reported.
 * @throws {ChorusError} payload_too_large, invalid_json; invalid_request for too many or none
 */
export async function readImport(context: ScopedContext): Promise<ImportResult> {
  const { request, response, services, owner } = context;
  const { database, eventLog, config } = services;
  const limits = { bytes: config.limits.batchBytes, idleMs: config.assets.uploadIdleMs };
  const bytes = await readJsonBytes(request, response, limits, () => undefined);
  const steps = splitList(bytes);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await waitForTurn();
  const spans = step.value;
  if (spans.length === 0 || spans.length > MAX_IMPORTED) {
    const message = `must contain 1 to ${MAX_IMPORTED.toLocaleString('en')} conversations`;
    throw new ChorusError('invalid_request', `body: ${message}`, { details: [{ path: 'body', message }] });
  }
  const data: ImportedSession[] = [];
  for (const [index, [begin, end]] of spans.entries()) {
    // The client has given up; it may send all of them again.
    if (response.destroyed) break;
    const read = await readOne(bytes.subarray(begin, end), index);
    data.push({
      index,
      ...(read instanceof ChorusError ? unreadable(read) : await importConversation(database, owner, read)),
    });
  }
  const last = data.findLast(({ status }) => status === 'imported')?.session_id;
  if (last) eventLog.publishToFeed(owner, { type: 'session.updated', session_id: last });
  const count = (status: ImportedSession['status']) => data.filter((one) => one.status === status).length;
  const counts = { imported: count('imported'), skipped: count('skipped'), failed: count('failed') };
  return { object: 'list', data, has_more: false, next_cursor: null, ...counts };
}

async function readOne(json: Buffer, index: number): Promise<ReadConversation | ChorusError> {
  const name = { what: `Conversation ${index}`, path: String(index) };
  try {
    if (json.length <= LARGE_BYTES) return readConversation(await parseJson(json, name, LIMITS));
    await checkJson(json, name, LIMITS);
    return await readInThread(Uint8Array.from(json));
  } catch (error) {
    if (error instanceof SyntaxError)
      return new ChorusError('invalid_json', `${name.what} is not valid JSON: ${error.message}.`);
    if (error instanceof ChorusError) return error;
    throw error;
  }
}

function unreadable({ message, details }: ChorusError): Omit<ImportedSession, 'index'> {
  const error = { path: '', message: details?.[0]?.message ?? message };
  const none = { session_id: null, message_count: 0, missing_files: 0, title: null };
  return { ...none, status: 'failed', format: null, error };
}
