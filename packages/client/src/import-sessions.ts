import { ChorusError, chorusError } from './chorus-error.ts';
import { type CallOptions, callOptions } from './client-options.ts';
import type { ImportedSession } from './generated/api-types.ts';
import type { AnswerOf, BodyOf } from './operations.ts';
import type { Transport } from './transport.ts';

export interface ImportOptions extends CallOptions {
  /** Called after each request, with the conversations so far. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export type ImportSummary = Pick<AnswerOf<'POST /sessions/import'>, 'imported' | 'skipped' | 'failed' | 'data'>;

/** Maximum conversations and characters per request. */
const MOST_AT_ONCE = 100;
const MOST_CHARS = 4_000_000;

/** Imports the conversations of a file, in as many requests as needed. */
export async function importSessions(
  transport: Transport,
  file: Blob | string | readonly unknown[],
  { onProgress, ...options }: ImportOptions = {},
): Promise<ImportSummary> {
  const all = typeof file === 'string' ? parseFile(file) : file instanceof Blob ? parseFile(await file.text()) : file;
  const summary: ImportSummary = { imported: 0, skipped: 0, failed: 0, data: [] };
  for (const { from, body } of chunksOf(all)) {
    const answer = await send(transport, body, callOptions(options));
    summary.imported += answer.imported;
    summary.skipped += answer.skipped;
    summary.failed += answer.failed;
    summary.data.push(...answer.data.map((one) => ({ ...one, index: from + one.index })));
    onProgress?.(from + body.length, all.length);
  }
  return summary;
}

/** Reads a file: JSON, or one JSON document per line. */
function parseFile(text: string): unknown[] {
  const whole = tryParse(text);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = lines.map(tryParse);
  const broken = parsed.indexOf(undefined);
  if (parsed.length > 1 && broken === -1) return parsed;
  const where = parsed.length > 1 && parsed[0] !== undefined ? `Line ${broken + 1}` : 'The file';
  throw chorusError('invalid_json', `${where} is not JSON. Choose a .json or .ndjson file; unpack archives first.`, {
    status: 0,
  });
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* chunksOf(all: readonly unknown[]): Generator<{ from: number; body: unknown[] }> {
  let body: unknown[] = [];
  let chars = 0;
  for (const [index, one] of all.entries()) {
    const { length } = JSON.stringify(one);
    if (body.length > 0 && (body.length === MOST_AT_ONCE || chars + length > MOST_CHARS)) {
      yield { from: index - body.length, body };
      body = [];
      chars = 0;
    }
    body.push(one);
    chars += length;
  }
  if (body.length > 0) yield { from: all.length - body.length, body };
}

async function send(transport: Transport, body: unknown[], options: CallOptions): Promise<ImportSummary> {
  try {
    return await transport.request('POST /sessions/import', { body: body as BodyOf<'POST /sessions/import'> }, options);
  } catch (error) {
    const isTooLarge = error instanceof ChorusError && error.code === 'payload_too_large';
    if (!isTooLarge || body.length > 1) throw error;
    const none = { session_id: null, message_count: 0, missing_files: 0, format: null, title: null };
    const failed: ImportedSession = {
      index: 0,
      status: 'failed',
      ...none,
      error: { path: '', message: error.message },
    };
    return { imported: 0, skipped: 0, failed: 1, data: [failed] };
  }
}
