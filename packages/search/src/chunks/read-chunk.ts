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

const foundRow = row.pick({ id: true, tags: true, title: true, text: true, heading_path: true, page: true });

/** Columns to read for hits of a scope: the others follow from the scope and id, and each read costs time. */
export const FOUND_COLUMNS = Object.keys(foundRow.shape);

export function readFound(from: unknown, scopeKey: string): StoredChunk {
  const { id, ...found } = foundRow.parse(from);
  const [, entry_id = '', revision, position] = PARTS.exec(id) ?? [];
  return { id, scope_key: scopeKey, entry_id, revision: Number(revision), position: Number(position), ...found };
}

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
