import type { BatchItemRequest, Kind } from '@chorus/client';
import { t } from '../../../i18n/i18n.ts';

const MAX_ITEMS = 10_000;

type Fields = Kind['fields'];

interface ParsedItems {
  items: BatchItemRequest[];
  /** Error message for the user; null if the input is valid. */
  problem: string | null;
}

export function itemsFromLines(text: string): ParsedItems {
  const prompts = text.split('\n').map((line) => line.trim());
  return checkCount(prompts.filter((prompt) => prompt !== '').map((prompt) => ({ body: { prompt } })));
}

/** Parses items from CSV. The first line names the columns: `prompt` is required, `id` names the item. */
export function itemsFromCsv(text: string, fields: Fields): ParsedItems {
  const [head = [], ...rows] = parseCsv(text);
  const names = head.map((name) => name.trim().toLowerCase());
  if (!names.includes('prompt')) return { items: [], problem: t('studio.csvNoPrompt') };
  const typeOf = (name: string) => fields.find((field) => field.name === name)?.type;
  const isNumber = (name: string) => typeOf(name) === 'number';
  const unknown = names.filter((name) => name !== 'id' && !['text', 'number'].includes(typeOf(name) ?? ''));
  if (unknown.length > 0) return { items: [], problem: t('studio.csvUnknownColumns', { names: unknown.join(', ') }) };
  for (const [at, row] of rows.entries()) {
    const invalid = names.findIndex((name, column) => isNumber(name) && Number.isNaN(Number(row[column] ?? '')));
    if (invalid !== -1)
      return {
        items: [],
        problem: t('studio.csvNotNumber', { row: at + 1, value: row[invalid] ?? '', column: names[invalid] ?? '' }),
      };
  }
  return checkCount(rows.map((row) => toItem(names, row, isNumber)));
}

function toItem(
  names: readonly string[],
  row: readonly string[],
  isNumber: (name: string) => boolean,
): BatchItemRequest {
  const given = names.map((name, at) => [name, row[at]?.trim() ?? ''] as const).filter(([, value]) => value !== '');
  const id = given.find(([name]) => name === 'id')?.[1];
  const fields = given.filter(([name]) => name !== 'id');
  const body = Object.fromEntries(fields.map(([name, value]) => [name, isNumber(name) ? Number(value) : value]));
  return { ...(id !== undefined && { id }), body };
}

function checkCount(items: BatchItemRequest[]): ParsedItems {
  const problem = items.length > MAX_ITEMS ? t('studio.tooManyItems', { max: MAX_ITEMS, count: items.length }) : null;
  return { items, problem };
}

/**
 * Parses CSV as specified in RFC 4180, without empty lines.
 *
 * The separator is a comma, semicolon, or tab, whichever is most frequent in the first line.
 */
export function parseCsv(text: string): string[][] {
  const separator = detectSeparator(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = () => {
    row.push(field);
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.some((value) => value.trim() !== '')) rows.push(row);
    row = [];
  };
  const characters = text.replace(/^\uFEFF/, '');
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at];
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (characters[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field === '') isQuoted = true;
    else if (character === separator) endField();
    else if (character === '\n') endRow();
    else if (character !== '\r') field += character;
  }
  if (field !== '' || row.length > 0) endRow();
  return rows;
}

function detectSeparator(text: string): string {
  const head = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'));
  const count = (separator: string) => head.split(separator).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}
