import type { AssetFacts } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';

/** What results keep of an asset. */
export function assetFactsOf(record: AssetRecord): AssetFacts {
  const { id, kind, mime_type, size_bytes, sha256, filename, width, height, duration_ms, execution_id } = record;
  const created_at = record.created_at.toISOString();
  return {
    id,
    kind,
    mime_type,
    size_bytes,
    sha256,
    filename,
    width,
    height,
    duration_ms,
    execution_id,
    created_at,
  };
}
