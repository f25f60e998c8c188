import type { Execution, Page, QueryOf } from '@chorus/client';
import { useLocalStorage } from '@mantine/hooks';
import { useCallback, useMemo } from 'react';
import { useKinds } from '../../../data/kinds.ts';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { MAX_RUNS, runsOf } from './runs.ts';

type Kind = NonNullable<QueryOf<'GET /jobs'>['kind']>;

const MAX_DISMISSED = 200;

/** Items of batches are shown with their batch. */
const OWN = { standalone: 'true', mine: 'true' } as const;

const NONE: string[] = [];
const NO_RUNS: Page<Execution> = { data: [], has_more: false, next_cursor: null };

/** Lists the latest runs of a route, no matter where they were started, except those dismissed here. */
export function useRuns(path: string) {
  const { storageKey } = useScope();
  const { kind, label = '' } = useKinds().find((one) => one.path === `/api/v1${path}`) ?? {};
  const [dismissed, setDismissed] = useLocalStorage({
    key: `chorus.dismissed.${storageKey}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
  });
  const { items, isPending, refresh } = useCursorList({
    name: 'jobs',
    filters: { kind, limit: MAX_RUNS },
    fetchPage: async (client, query, options) =>
      kind === undefined
        ? NO_RUNS
        : client.jobs.list({ ...query, ...OWN, kind: kind as Kind, limit: MAX_RUNS }, options),
  });
  return {
    runs: useMemo(() => runsOf(items, { dismissed, label }), [items, dismissed, label]),
    isPending: isPending || kind === undefined,
    refresh,
    remove: useCallback((id: string) => setDismissed((ids) => [id, ...ids].slice(0, MAX_DISMISSED)), [setDismissed]),
  };
}
