import { z } from 'zod';
import type { StoredChunk } from '../search.ts';

/** Lists come as the engine's own vectors, which can be walked through. */
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

/** A row as the engine gives it, as a chunk. */
export const readChunk = (from: unknown): StoredChunk => row.parse(from);

const foundRow = row.pick({ id: true, tags: true, title: true, text: true, heading_path: true, page: true });

/** The columns of what was found in a scope: the others follow from the scope and the id, and each that is read costs. */
export const FOUND_COLUMNS = Object.keys(foundRow.shape);

/** A row of `FOUND_COLUMNS` as a chunk. */
export function readFound(from: unknown, scopeKey: string): StoredChunk {
  const { id, ...found } = foundRow.parse(from);
  const [, entry_id = '', revision, position] = PARTS.exec(id) ?? [];
  return { id, scope_key: scopeKey, entry_id, revision: Number(revision), position: Number(position), ...found };
}

const PARTS = /^(.*):(\d+):(\d+)$/s;
