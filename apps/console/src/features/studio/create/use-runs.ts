import type { QueryOf } from '@chorus/client';
import { useLocalStorage } from '@mantine/hooks';
import { useCallback, useMemo } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { runsOf } from './runs.ts';

type Kind = NonNullable<QueryOf<'GET /jobs'>['kind']>;

const MAX_DISMISSED = 200;

/** Texts of whole documents make these records large. */
const MAX_READ_RUNS = 10;

const NONE: string[] = [];

/** Lists the latest runs of a kind, wherever they were started, and hides those that were dismissed here. */
export function useRuns(kind: Kind, label: string) {
  const { storageKey } = useScope();
  const { user } = useAccount();
  const [dismissed, setDismissed] = useLocalStorage({
    key: `chorus.dismissed.${storageKey}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
  });
  const { items, isPending, refresh } = useCursorList({
    name: 'jobs',
    filters: { kind },
    fetchPage: (client, query, options) =>
      client.jobs.list({ ...query, kind, ...(kind === 'iris.ocr' && { limit: MAX_READ_RUNS }) }, options),
  });
  return {
    runs: useMemo(() => runsOf(items, { userId: user.id, dismissed, label }), [items, user.id, dismissed, label]),
    isPending,
    refresh,
    remove: useCallback((id: string) => setDismissed((ids) => [id, ...ids].slice(0, MAX_DISMISSED)), [setDismissed]),
  };
}
