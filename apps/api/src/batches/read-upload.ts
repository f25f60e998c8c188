import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BatchUpload } from '@chorus/batches';
import { ChorusError, type JsonName } from '@chorus/contract';
import { waitForTurn } from '../http/pace-body.ts';
import { notUtf8, parseJson, readJsonBytes, tooLarge } from '../http/read-json.ts';
import { BodyLines } from './read-lines.ts';
import { splitJson } from './split-json.ts';

export interface UploadLimits {
  jsonBytes: number;
  linesBytes: number;
  /** How long the client may be silent. */
  idleMs: number;
}

export interface ReadUpload extends BatchUpload {
  /** Returns the hash of the whole upload, once the items have been read. */
  digest(): string;
}

/** Limits for one item, and for everything but the items. */
const LINE_BYTES = 8_000_000;
const HEAD_BYTES = 4_000_000;

/** How long a client may take to send a batch. */
const UPLOAD_TIMEOUT_MS = 600_000;

/**
 * Reads a batch: one JSON document, or NDJSON with the head in the first line and an item in each other line.
 * @throws {ChorusError} unsupported_media_type, payload_too_large, invalid_json; so does reading the items
 */
export async function readUpload(
  request: IncomingMessage,
  response: ServerResponse,
  limits: UploadLimits,
): Promise<ReadUpload> {
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  return NDJSON.includes(type.trim()) ? readLines(request, response, limits) : readDocument(request, response, limits);
}

export const NDJSON: readonly string[] = ['application/x-ndjson', 'application/jsonl', 'application/x-jsonlines'];

async function readDocument(
  request: IncomingMessage,
  response: ServerResponse,
  { jsonBytes, idleMs }: UploadLimits,
): Promise<ReadUpload> {
  const hash = createHash('sha256');
  const bytes = await readJsonBytes(request, response, { bytes: jsonBytes, idleMs }, (piece) => hash.update(piece));
  if (!isUtf8(bytes)) throw notUtf8();
  const steps = splitJson(bytes);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await waitForTurn();
  const { head, items } = step.value;
  if (head.length > HEAD_BYTES)
    throw new ChorusError('payload_too_large', `The fields beside \`items\` are longer than ${HEAD_BYTES} bytes.`);
  return {
    head: await parseJson(Buffer.from(head), { what: 'The body', path: 'body' }),
    items: parsedItems(bytes, items ?? []),
    digest: () => hash.digest('base64url'),
  };
}

async function* parsedItems(bytes: Buffer, items: readonly [begin: number, end: number][]) {
  for (const [index, [begin, end]] of items.entries()) {
    const path = `body.items.${index}`;
    if (end - begin > LINE_BYTES)
      throw new ChorusError('payload_too_large', `${path} is longer than ${LINE_BYTES} bytes.`);
    const item = bytes.subarray(begin, end);
    yield { value: await parseJson(item, { what: path, path }), chars: charsOf(item) };
  }
}

async function readLines(
  request: IncomingMessage,
  response: ServerResponse,
  { linesBytes, idleMs }: UploadLimits,
): Promise<ReadUpload> {
  if (Number(request.headers['content-length'] ?? 0) > linesBytes) throw tooLarge(linesBytes);
  const limits = { bytes: linesBytes, lineBytes: LINE_BYTES, idleMs, allMs: UPLOAD_TIMEOUT_MS };
  const lines = new BodyLines(request, response, limits);
  const reading = lines.read();
  const parse = (line: Buffer) => parseJson(line, nameOf(lines.number));
  const first = await reading.next();
  const head = first.done ? {} : await parse(first.value);
  return { head, items: itemsOf(reading, parse), digest: () => lines.digest() };
}

function nameOf(line: number): JsonName {
  return { what: `Line ${line}`, path: line === 1 ? 'body' : `body.items.${line - 2}` };
}

async function* itemsOf(lines: AsyncGenerator<Buffer>, parse: (line: Buffer) => Promise<unknown>) {
  for await (const line of lines) yield { value: await parse(line), chars: charsOf(line) };
}

/** Counts the characters of long texts. For short texts the byte count is a good enough upper bound. */
function charsOf(bytes: Buffer): number {
  return bytes.length < 1_000_000 ? bytes.length : bytes.toString('utf8').length;
}
