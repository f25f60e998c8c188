import type { BatchItemRequest } from '@chorus/client';
import { parseCsv } from './parse-csv.ts';

/** The most items that a batch may have. */
const MOST = 10_000;

/** Columns that are numbers in a request. */
const NUMBERS = new Set(['n', 'seed', 'duration_s', 'fps']);
const COLUMNS = new Set(['prompt', 'negative_prompt', 'size', 'model', ...NUMBERS]);

export interface ReadItems {
  items: BatchItemRequest[];
  /** What is wrong with what was given; null: nothing. */
  problem: string | null;
}

/** Items out of a text: a prompt on each line. */
export function itemsOfLines(text: string): ReadItems {
  const prompts = text.split('\n').map((line) => line.trim());
  return limited(prompts.filter((prompt) => prompt !== '').map((prompt) => ({ body: { prompt } })));
}

/** Items out of a CSV file: its first line names the columns, one of which is `prompt`; `id` names the item. */
export function itemsOfCsv(text: string): ReadItems {
  const [head = [], ...rows] = parseCsv(text);
  const names = head.map((name) => name.trim().toLowerCase());
  if (!names.includes('prompt'))
    return { items: [], problem: 'The first line must name the columns, and one must be “prompt”.' };
  const unknown = names.filter((name) => name !== 'id' && !COLUMNS.has(name));
  if (unknown.length > 0) return { items: [], problem: `Unknown columns: ${unknown.join(', ')}.` };
  for (const [at, row] of rows.entries()) {
    const wrong = names.findIndex((name, column) => NUMBERS.has(name) && Number.isNaN(Number(row[column] ?? '')));
    if (wrong !== -1) return { items: [], problem: `Row ${at + 1}: “${row[wrong]}” is no number (${names[wrong]}).` };
  }
  return limited(rows.map((row) => itemOf(names, row)));
}

function itemOf(names: readonly string[], row: readonly string[]): BatchItemRequest {
  const given = names.map((name, at) => [name, row[at]?.trim() ?? ''] as const).filter(([, value]) => value !== '');
  const id = given.find(([name]) => name === 'id')?.[1];
  const fields = given.filter(([name]) => name !== 'id');
  const body = Object.fromEntries(fields.map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]));
  return { ...(id !== undefined && { id }), body };
}

function limited(items: BatchItemRequest[]): ReadItems {
  const problem =
    items.length > MOST
      ? `At most ${MOST.toLocaleString()} at once; these are ${items.length.toLocaleString()}.`
      : null;
  return { items, problem };
}
