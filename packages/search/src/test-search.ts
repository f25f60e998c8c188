import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { onTestFinished } from 'vitest';
import { openSearch } from './open-search.ts';
import type { ChunkRow, Search } from './search.ts';

const log = createLogger({ name: 'test', level: 'silent' });

export async function newLocation(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-search-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'index');
}

export async function newSearch(location?: string): Promise<Search> {
  const search = openSearch({ location: location ?? (await newLocation()), log });
  onTestFinished(() => search.close());
  return search;
}

export const SPACE = { name: 'test-model', dimensions: 4 };

export function chunk(scope: string, entry: string, position: number, more: Partial<ChunkRow> = {}): ChunkRow {
  const revision = more.revision ?? 1;
  return {
    id: `${entry}:${revision}:${position}`,
    scope_key: scope,
    entry_id: entry,
    revision,
    tags: [],
    title: 'A title',
    text: `passage ${position}`,
    heading_path: [],
    page: null,
    position,
    vector: Float32Array.of(1, 0, 0, position / 10),
    ...more,
  };
}
