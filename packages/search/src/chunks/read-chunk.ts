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
