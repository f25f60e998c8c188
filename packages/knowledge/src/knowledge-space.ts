import type { Database, KnowledgeSpaces, StoredSpace } from '@chorus/database';
import { ANALYSIS_VERSION } from '@chorus/search';
import { modelHash } from './revision-files.ts';

/** Maximum length of the name, which leaves room for the suffix within 100 characters. */
const MAX_NAME_LENGTH = 60;

/**
 * Returns the space for a model's vectors. Its name contains the model, a hash, since few characters are allowed, and
 * the version of the terms.
 */
export function spaceOf(model: string, dimensions: number): StoredSpace {
  const readable = model
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_NAME_LENGTH);
  return { name: `${readable}-${dimensions}-${modelHash(model)}-t${ANALYSIS_VERSION}`, model, dimensions };
}

/** Returns whether a space has the terms of this version. */
export const isCurrentSpace = ({ name, model, dimensions }: StoredSpace): boolean =>
  name === spaceOf(model, dimensions).name;

/**
 * Returns the space that is searched now, with its embedding model. Null if nothing is searchable yet.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function knowledgeSpace({
  knowledgeSpaces,
}: Pick<Database, 'knowledgeSpaces'>): Promise<StoredSpace | null> {
  return (await knowledgeSpaces.get()).current;
}

export function allSpaces({ current, next, former }: KnowledgeSpaces): StoredSpace[] {
  const all = [current, next, ...former].filter((space) => space !== null);
  return all.map(({ name, model, dimensions }) => ({ name, model, dimensions }));
}
