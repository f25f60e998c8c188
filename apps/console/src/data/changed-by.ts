import type { FeedFrame } from '@chorus/client';

/** Which lists look different after something has happened: the second part of their keys. */
export function changedBy(event: FeedFrame): string[] {
  if (event.type === 'events.opened' || event.type === 'events.lost') return [];
  if (event.type === 'asset.created' || event.type === 'asset.deleted') return ['assets'];
  if ('counts' in event) return ['batches'];
  const lists = ['jobs'];
  if (event.type === 'execution.progress') return lists;
  if (event.session_id !== null) lists.push('sessions');
  if (event.kind === 'knowledge.ingest') lists.push('knowledge');
  return lists;
}
