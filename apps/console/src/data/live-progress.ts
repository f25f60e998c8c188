import type { FeedFrame, Progress } from '@chorus/client';
import { useSyncExternalStore } from 'react';

/** How far what runs is, as the feed of the scope tells it: a list needs no stream for each of its rows. */
const known = new Map<string, Progress>();
const listeners = new Set<() => void>();

/** Takes what the feed says of an execution's progress or end. */
export function noteProgress(event: FeedFrame): void {
  if (event.type === 'execution.progress') known.set(event.execution_id, event.progress);
  else if (!('output' in event) || !known.delete(event.execution_id)) return;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The newest that is known of an execution which runs; undefined: nothing was told since the page was loaded. */
export function useProgressOf(executionId: string | null): Progress | undefined {
  return useSyncExternalStore(subscribe, () => (executionId === null ? undefined : known.get(executionId)));
}
