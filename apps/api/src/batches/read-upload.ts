import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as others } from 'node:timers/promises';
import type { BatchUpload } from '@chorus/batches';
import { ChorusError } from '@chorus/contract';
import { notUtf8, parseJson, readJsonBytes } from '../http/read-json.ts';
import { BodyLines } from './read-lines.ts';
import { splitJson } from './split-json.ts';

export interface UploadLimits {
  jsonBytes: number;
  linesBytes: number;
  /** So long may a client send nothing, in milliseconds. */
  idleMs: number;
}

/** A batch as it comes. */
export interface ReadUpload extends BatchUpload {
  /** Hash of all that came, once the items have been read. */
  digest(): string;
}

/** One item, with what stands around it. */
const LINE_BYTES = 8_000_000;

/** Whoever needs longer to send a batch is given up, in milliseconds. */
const LINES_WITHIN_MS = 600_000;

/**
 * Reads a batch: one JSON document, or NDJSON whose first line is the head and each further one an item.
 *
 * @throws {ChorusError} unsupported_media_type, payload_too_large, invalid_json; reading the items throws them too
 */
export async function readUpload(request: IncomingMessage, limits: UploadLimits): Promise<ReadUpload> {
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  return NDJSON.includes(type.trim()) ? readLines(request, limits) : readDocument(request, limits.jsonBytes);
}

export const NDJSON: readonly string[] = ['application/x-ndjson', 'application/jsonl', 'application/x-jsonlines'];

async function readDocument(request: IncomingMessage, limitBytes: number): Promise<ReadUpload> {
  const bytes = await readJsonBytes(request, limitBytes);
  if (!isUtf8(bytes)) throw notUtf8();
  const steps = splitJson(bytes);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await others();
  const { head, items } = step.value;
  return {
    head: parseJson(head, 'The body'),
    items: parsedItems(bytes, items ?? []),
    digest: () => createHash('sha256').update(bytes).digest('base64url'),
  };
}

function* parsedItems(bytes: Buffer, items: readonly [begin: number, end: number][]) {
  for (const [index, [begin, end]] of items.entries()) {
    const text = bytes.toString('utf8', begin, end);
    yield { value: parseJson(text, `body.items.${index}`), chars: text.length };
  }
}

async function readLines(request: IncomingMessage, { linesBytes, idleMs }: UploadLimits): Promise<ReadUpload> {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined && headers['content-encoding'].toLowerCase() !== 'identity')
    throw new ChorusError('unsupported_media_type', 'The body must be sent without Content-Encoding.');
  if (Number(headers['content-length'] ?? 0) > linesBytes)
    throw new ChorusError('payload_too_large', `The body is larger than ${linesBytes} bytes.`);
  const lines = new BodyLines(request, { bytes: linesBytes, lineBytes: LINE_BYTES, idleMs, allMs: LINES_WITHIN_MS });
  const reading = lines.read();
  const parse = (text: string) => parseJson(text, `Line ${lines.number}`);
  const first = await reading.next();
  const head = first.done ? {} : parse(first.value);
  return { head, items: itemsOf(reading, parse), digest: () => lines.digest() };
}

async function* itemsOf(lines: AsyncGenerator<string>, parse: (text: string) => unknown) {
  for await (const line of lines) yield { value: parse(line), chars: line.length };
}
