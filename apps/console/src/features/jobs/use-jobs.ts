import type { Execution } from '@chorus/client';
import { useLiveEvent } from '../../data/live-events.tsx';
import { useCursorList } from '../../data/use-cursor-list.ts';
import type { JobKind } from './kind-names.ts';

export const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelling', 'cancelled'] as const;
export type JobStatus = Execution['status'];

export interface JobFilters {
  kind: JobKind | null;
  status: JobStatus | null;
  batch: string | null;
}

/** Jobs, the newest first; their states and progress change as they are told of. */
export function useJobs({ kind, status, batch }: JobFilters) {
  const filters = {
    ...(kind !== null && { kind }),
    ...(status !== null && { status }),
    ...(batch !== null && { batch_id: batch }),
  };
  const list = useCursorList({
    name: 'jobs',
    filters,
    readPage: (client, query, options) => client.jobs.list({ ...query, ...filters }, options),
  });
  useLiveEvent((event) => {
    if (!('execution_id' in event) || !('status' in event)) return;
    const change: Partial<Execution> = { status: event.status };
    if (event.type === 'execution.progress') change.progress = event.progress;
    list.patch(event.execution_id, change);
  });
  return list;
}
