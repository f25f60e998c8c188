import type { ArchiveUnit } from '@chorus/client';
import { useCursorList } from '../../data/use-cursor-list.ts';

export const sources = ['text', 'session', 'message', 'knowledge'] as const;
export type Source = ArchiveUnit['source']['type'];

export interface UnitFilters {
  /** Words to find; empty: all. */
  q: string;
  tag: string;
  source: Source | null;
}

export function useUnits({ q, tag, source }: UnitFilters) {
  const filters = { ...(q !== '' && { q }), ...(tag !== '' && { tag }), ...(source !== null && { source }) };
  return useCursorList({
    name: 'archive',
    filters,
    readPage: (client, query, options) => client.archive.list({ ...query, ...filters }, options),
  });
}
