import type { BatchItemRequest, BodyOf, Kind } from '@chorus/client';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../command.ts';

type BatchRequest = BodyOf<'POST /batches'>;
type BatchKind = NonNullable<BatchRequest['kind']>;

/**
 * Reads the requests of a file. CSV columns are `id`, `kind`, `after`, and fields of the request.
 * NDJSON lines are as in the API, and the first may be the batch itself.
 *
 * @param asked kind of rows without one; default: the first kind that takes a prompt
 * @throws {UsageError}
 */
export function readBatch(
  name: string,
  content: string,
  kinds: readonly Kind[],
  asked: string | undefined,
): BatchRequest {
  const batchable = kinds.filter((kind) => kind.batchable);
  const find = (kind: string | undefined) => batchable.find((one) => one.kind === kind);
  if (asked !== undefined && !find(asked))
    throw new UsageError(`--kind must be one of: ${batchable.map(({ kind }) => kind).join(', ')}.`);
  const usual = batchable.find(({ fields }) => fields.some((field) => field.name === 'prompt'));
  const request = /\.(ndjson|jsonl)$/i.test(name)
    ? ofLines(content)
    : { items: ofCsv(name, content, (kind) => find(kind ?? asked) ?? usual) };
  if (request.items.length === 0) throw new UsageError(`${name} has no requests.`);
  const all = { ...request, kind: (asked as BatchKind | undefined) ?? request.kind };
  if (all.kind === undefined && request.items.some((item) => item.kind === undefined))
    all.kind = usual?.kind as BatchKind | undefined;
  return all;
}

function ofCsv(
  name: string,
  content: string,
  kindOf: (kind: string | undefined) => Kind | undefined,
): BatchItemRequest[] {
  let rows: Record<string, string>[];
  try {
    rows = parse(content, { columns: true, bom: true, skip_empty_lines: true, trim: true });
  } catch (error) {
    throw new UsageError(`${name} is not a CSV file with a header row: ${(error as Error).message}`);
  }
  const typeOf = (kind: string | undefined, field: string) =>
    kindOf(kind || undefined)?.fields.find((one) => one.name === field)?.type;
  return rows.map(({ id, kind, after, message, ...fields }) => ({
    ...(id ? { id } : {}),
    ...(kind ? { kind: kind as BatchKind } : {}),
    ...(after ? { after: wordsOf(after) } : {}),
    body: {
      ...Object.fromEntries(
        Object.entries(fields).flatMap(([field, text]) =>
          text === '' ? [] : [[field, fieldValue(typeOf(kind, field), text)]],
        ),
      ),
      ...(message ? { messages: [{ role: 'user', content: message }] } : {}),
    },
  }));
}

/** Parses a cell. List items are separated by semicolons. The platform reports text in a numeric field. */
function fieldValue(type: Kind['fields'][number]['type'] | undefined, text: string): unknown {
  if (type === 'list') return wordsOf(text);
  if (type === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
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
        throw new UsageError(`Line ${index + 1} is not valid JSON.`);
      }
    });
  const [first, ...rest] = lines;
  const hasHead = first !== undefined && !('body' in first || 'id' in first);
  return hasHead ? { ...(first as Partial<BatchRequest>), items: rest } : { items: lines };
}
