import type { ExecutionProgress, OutputItem } from '@chorus/client';
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { RunCard } from './run-card.tsx';
import type { Run, useRuns } from './use-runs.ts';

interface RunListProps {
  list: ReturnType<typeof useRuns>;
  /** Where nothing was begun yet. */
  empty: ReactNode;
  children: (output: readonly (OutputItem | undefined)[], progress: ExecutionProgress, run: Run) => ReactNode;
}

export function RunList({ list: { runs, remove }, empty, children }: RunListProps) {
  if (runs.length === 0) return empty;
  return (
    <Stack>
      {runs.map((run) => (
        <RunCard key={run.id} run={run} onRemove={() => remove(run.id)}>
          {children}
        </RunCard>
      ))}
    </Stack>
  );
}
