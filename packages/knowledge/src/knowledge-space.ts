import type { Database, KnowledgeSpaces, StoredSpace } from '@chorus/database';
import { modelHash } from './revision-files.ts';

/** Room for the rest of a name that has 100 characters at most. */
const LONGEST_NAME = 60;

/** The table of the index that holds the vectors of a model: named after it, and by its hash, since names have few characters. */
export function spaceOf(model: string, dimensions: number): StoredSpace {
  const readable = model
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST_NAME);
  return { name: `${readable}-${dimensions}-${modelHash(model)}`, model, dimensions };
}

/**
 * What questions search now: the embedding model that they are to be embedded by, and the table that holds its vectors. Null: nothing is searchable yet.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function knowledgeSpace({
  knowledgeSpaces,
}: Pick<Database, 'knowledgeSpaces'>): Promise<StoredSpace | null> {
  return (await knowledgeSpaces.get()).current;
}

/** Every space that may hold something. */
export function allSpaces({ current, next, former }: KnowledgeSpaces): StoredSpace[] {
  const all = [current, next, ...former].filter((space) => space !== null);
  return all.map(({ name, model, dimensions }) => ({ name, model, dimensions }));
}
