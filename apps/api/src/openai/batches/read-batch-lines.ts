import type { FileItem, FileLine } from '@chorus/batches';
import { ChorusError, toErrorBody } from '@chorus/contract';
import { splitLines, type TextLine } from '../../batches/split-lines.ts';
import { parseJson } from '../../http/read-json.ts';
import type { BatchEndpoint } from './batch-endpoints.ts';

/** A record of the store holds one request. */
const LINE_BYTES = 4_000_000;

const MAX_ID_CHARS = 512;

type Problem = Extract<FileLine, { problem: unknown }>['problem'];

/** Reads the requests of a batch from the lines of its file. Stops at a line that is too long. */
export async function* readBatchLines(
  open: () => Promise<AsyncIterable<Buffer>>,
  endpoint: BatchEndpoint,
  requestId: string,
): AsyncGenerator<FileLine> {
  let number = 0;
  try {
    for await (const line of splitLines(await open(), LINE_BYTES)) {
      number = line.number;
      yield { number, chars: line.bytes.length, ...(await readLine(line, endpoint, requestId)) };
    }
  } catch (error) {
    if (!(error instanceof ChorusError && error.code === 'payload_too_large')) throw error;
    yield { number: number + 1, chars: 0, problem: problem('line_too_long', error.message) };
  }
}

async function readLine(
  { bytes, number }: TextLine,
  endpoint: BatchEndpoint,
  requestId: string,
): Promise<{ item: FileItem } | { problem: Problem }> {
  let line: unknown;
  try {
    line = await parseJson(bytes, { what: `Line ${number}`, path: `line ${number}` });
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    return { problem: problem('invalid_json_line', error.message) };
  }
  if (!isObject(line)) return { problem: problem('invalid_json_line', `Line ${number} must be a JSON object.`) };
  const { custom_id: id, method, url, body } = line;
  const missing = ['custom_id', 'method', 'url', 'body'].find((name) => line[name] == null);
  if (missing !== undefined)
    return { problem: problem('missing_required_parameter', `Line ${number} has no \`${missing}\`.`, missing) };
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS) {
    const message = `The custom_id must be a string of 1 to ${MAX_ID_CHARS} characters.`;
    return { problem: problem('invalid_custom_id', message, 'custom_id') };
  }
  if (method !== 'POST') return { problem: problem('invalid_method', 'The method must be POST.', 'method') };
  if (url !== endpoint.url)
    return { problem: problem('mismatched_url', `The url must be ${endpoint.url}, the batch's endpoint.`, 'url') };
  if (!isObject(body)) return { problem: problem('invalid_body', 'The body must be an object.', 'body') };
  return { item: { id, kind: endpoint.kind, ...readBody(body, endpoint, requestId) } };
}

/** A request that its endpoint refuses fails, and the others run. */
function readBody(body: Record<string, unknown>, endpoint: BatchEndpoint, requestId: string) {
  try {
    if (body.stream === true) throw notStreamed();
    const { request, kept } = endpoint.translate(body);
    return { body: request, kept };
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    return { body: {}, kept: {}, error: toErrorBody(error, requestId) };
  }
}

function notStreamed(): ChorusError {
  const message = 'is not supported in a batch';
  return new ChorusError('invalid_request', `body.stream: ${message}`, { details: [{ path: 'body.stream', message }] });
}

function problem(code: string, message: string, param: string | null = null): Problem {
  return { code, message, param };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
