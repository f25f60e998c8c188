import type { KnowledgeChunk } from '@chorus/contract';
import type { StoredChunk } from '@chorus/search';

/**
 * A chunk as it is shown.
 *
 * @param score how well it fits what was asked, 0 to 1; null: nothing was asked
 */
export function presentChunk(chunk: StoredChunk, score: number | null): KnowledgeChunk {
  const { id, entry_id, revision, title, text, heading_path, page, position } = chunk;
  return { id, object: 'knowledge.chunk', entry_id, revision, title, text, heading_path, page, position, score };
}
