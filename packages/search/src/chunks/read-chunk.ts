import { z } from 'zod';
import type { StoredChunk } from '../search.ts';

/** Lists arrive as iterable Arrow vectors. */
const strings = z.preprocess((value) => (value === null ? [] : [...(value as Iterable<unknown>)]), z.array(z.string()));

const row = z.object({
  id: z.string(),
  scope_key: z.string(),
  entry_id: z.string(),
  revision: z.number(),
  tags: strings,
  title: z.string(),
  text: z.string(),
  heading_path: strings,
  page: z.number().nullable(),
  position: z.number(),
});

export const readChunk = (from: unknown): StoredChunk => row.parse(from);

/** Columns to read for hits in a scope. The others follow from the scope and id, and each read costs time. */
export const FOUND_COLUMNS = ['id', 'tags', 'title', 'text', 'heading_path', 'page'];

interface Column {
  get(at: number): unknown;
}

/** Reads chunks by row number from `FOUND_COLUMNS`, by column, since an object per row would take much longer. */
export function readFoundRows(
  found: { numRows: number; getChild(name: string): Column | null },
  scopeKey: string,
): [bigint, StoredChunk][] {
  const column = (name: string) => {
    const cells = found.getChild(name);
    return (at: number) => cells?.get(at) ?? null;
  };
  const [row, id, tags, title, text, headings, page] = ['_rowid', ...FOUND_COLUMNS].map(column) as Cells;
  return Array.from({ length: found.numRows }, (_, at) => {
    const name = String(id(at));
    const [, entry_id = '', revision, position] = PARTS.exec(name) ?? [];
    const chunk = {
      id: name,
      scope_key: scopeKey,
      entry_id,
      revision: Number(revision),
      position: Number(position),
      tags: listOf(tags(at)),
      title: String(title(at)),
      text: String(text(at)),
      heading_path: listOf(headings(at)),
      page: page(at) as number | null,
    };
    return [row(at) as bigint, chunk];
  });
}

type Cell = (at: number) => unknown;
type Cells = [Cell, Cell, Cell, Cell, Cell, Cell, Cell];

const listOf = (cell: unknown): string[] => (cell === null ? [] : Array.from(cell as Iterable<unknown>, String));

const PARTS = /^(.*):(\d+):(\d+)$/s;

export const STORED_COLUMNS = [
  'id',
  'scope_key',
  'entry_id',
  'revision',
  'tags',
  'title',
  'text',
  'heading_path',
  'page',
  'position',
];
