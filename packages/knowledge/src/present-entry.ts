import type { KnowledgeChunk, KnowledgeEntry, WaitingFor } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';
import type { StoredChunk } from '@chorus/search';

/** @param waiting The provider that its ingestion waits for. Default: it is not shown. */
export function presentEntry(record: KnowledgeRecord, waiting: WaitingFor | null = null): KnowledgeEntry {
  const {
    owner: { user_id },
    title_given: _given,
    languages: _languages,
    text_name: _text,
    former_asset_ids: _former,
    spaces: _spaces,
    facts_revision: _facts,
    processing_since: _since,
    created_at,
    updated_at,
    ...fields
  } = record;
  return {
    ...fields,
    object: 'knowledge.entry',
    waiting_for: waiting,
    user_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/**
 * Formats a chunk for the API.
 *
 * @param score relevance, 0 to 1; null without a question
 */
export function presentChunk(chunk: StoredChunk, score: number | null): KnowledgeChunk {
  const { id, entry_id, revision, title, text, heading_path, page, position } = chunk;
  return { id, object: 'knowledge.chunk', entry_id, revision, title, text, heading_path, page, position, score };
}
