import type { Batch } from '@chorus/contract';
import type { BatchRecord } from '@chorus/database';
import type { Addresses } from './addresses.ts';

/** The public face of a batch. */
export function presentBatch(record: BatchRecord, { baseUrl }: Pick<Addresses, 'baseUrl'>): Batch {
  const { total, waiting, queued, running } = record.counts;
  const self = `${baseUrl}/api/v1/batches/${record.id}`;
  return {
    id: record.id,
    object: 'batch',
    kind: record.kind,
    status: record.status,
    counts: record.counts,
    progress: { completed: total - waiting - queued - running, total },
    webhook_url: record.webhook_url,
    metadata: record.metadata,
    user_id: record.owner.user_id,
    created_at: record.created_at.toISOString(),
    started_at: record.started_at?.toISOString() ?? null,
    finished_at: record.finished_at?.toISOString() ?? null,
    urls: {
      self,
      events: `${self}/events`,
      items: `${self}/items`,
      results: `${self}/results`,
      cancel: `${self}/cancel`,
      retry: `${self}/retry`,
    },
  };
}
