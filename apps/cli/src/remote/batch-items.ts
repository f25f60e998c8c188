import type { BatchItemRequest, BodyOf } from '@chorus/client';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../command.ts';

type BatchRequest = BodyOf<'POST /batches'>;
export type BatchKind = NonNullable<BatchRequest['kind']>;

export const BATCH_KINDS = [
  'iris.image',
  'iris.video',
  'iris.ocr',
  'iris.verify',
  'chat.completion',
] as const satisfies readonly BatchKind[];

/** Fields of requests that are numbers; all others are texts. */
const NUMBERS = new Set(['n', 'seed', 'duration_s', 'fps', 'temperature', 'top_p', 'max_tokens']);

/** Fields that are lists: their words are parted by semicolons. */
const LISTS = new Set(['languages', 'reference_asset_ids', 'prompts']);

/**
 * The requests of a file: of CSV a row each, its columns the fields of the request besides `id`, `kind` and `after`; of NDJSON a line each, as the API takes them, the
 * first perhaps the batch itself.
 *
 * @throws {UsageError}
 */
export function readBatch(name: string, content: string, kind: BatchKind | undefined): BatchRequest {
  const request = /\.(ndjson|jsonl)$/i.test(name) ? ofLines(content) : { items: ofCsv(name, content) };
  if (request.items.length === 0) throw new UsageError(`${name} holds no requests.`);
  const all = { ...request, kind: kind ?? request.kind };
  if (all.kind === undefined && request.items.some((item) => item.kind === undefined)) all.kind = 'iris.image';
  return all;
}

function ofCsv(name: string, content: string): BatchItemRequest[] {
  let rows: Record<string, string>[];
  try {
    rows = parse(content, { columns: true, bom: true, skip_empty_lines: true, trim: true });
  } catch (error) {
    throw new UsageError(`${name} is no CSV with a heading: ${(error as Error).message}`);
  }
  return rows.map(({ id, kind, after, message, ...fields }) => ({
    ...(id ? { id } : {}),
    ...(kind ? { kind: kind as BatchKind } : {}),
    ...(after ? { after: wordsOf(after) } : {}),
    body: {
      ...Object.fromEntries(
        Object.entries(fields).flatMap(([field, text]) => (text === '' ? [] : [[field, fieldValue(field, text)]])),
      ),
      ...(message ? { messages: [{ role: 'user', content: message }] } : {}),
    },
  }));
}

function fieldValue(field: string, text: string): unknown {
  if (LISTS.has(field)) return wordsOf(text);
  // What is no number is sent as it is: the platform says what is wrong with it, and where.
  return NUMBERS.has(field) && Number.isFinite(Number(text)) ? Number(text) : text;
}

const wordsOf = (text: string): string[] =>
  text
    .split(';')
    .map((word) => word.trim())
    .filter((word) => word !== '');

function ofLines(content: string): BatchRequest {
  const lines = content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index): object[] => {
      if (line.trim() === '') return [];
      try {
        return [JSON.parse(line) as object];
      } catch {
        throw new UsageError(`Line ${index + 1} is no JSON.`);
      }
    });
  const [first, ...rest] = lines;
  const hasHead = first !== undefined && !('body' in first || 'id' in first);
  return hasHead ? { ...(first as Partial<BatchRequest>), items: rest } : { items: lines };
}
