import type { KnowledgeEntry } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';

/** An entry as it is shown. */
export function presentEntry(record: KnowledgeRecord): KnowledgeEntry {
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
    user_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
