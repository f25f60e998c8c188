import type { ExecutionProgress, OutputItem } from '@chorus/client';
import { StopIcon, XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Alert, Card, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../../components/badges.tsx';
import { ErrorState } from '../../../components/placeholders.tsx';
import { ExecutionBar } from '../../../components/progress-bars.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useExecution } from '../../../data/use-execution.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface RunListProps {
  list: ReturnType<typeof useRuns>;
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

interface RunCardProps {
  run: Run;
  onRemove: () => void;
  /** Renders the output so far; items are undefined until they are finished. */
  children: (output: readonly (OutputItem | undefined)[], progress: ExecutionProgress, run: Run) => ReactNode;
}

function RunCard({ run, onRemove, children }: RunCardProps) {
  const { client } = useScope();
  const state = useExecution(run.id);
  const { status, progress, output, execution, error } = state;
  const stop = () => client.jobs.cancel(run.id).catch(notifyError);
  return (
    <Card withBorder component="article" aria-label={run.title} aria-busy={execution === null}>
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Text fw={600} lineClamp={2}>
          {run.title}
        </Text>
        <Group gap="xs" wrap="nowrap">
          {execution !== null && <StatusBadge status={status} />}
          <Tooltip label={execution === null ? 'Stop' : 'Dismiss; the files stay in the gallery'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={execution === null ? stop : onRemove}
              aria-label={execution === null ? 'Stop' : 'Dismiss'}
            >
              {execution === null ? <StopIcon /> : <XMarkIcon />}
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {execution === null && error === null && <ExecutionBar status={status} progress={progress} />}
      {error !== null && <ErrorState error={error} onRetry={onRemove} />}
      {execution?.error && (
        <Alert color="red" title={execution.error.message}>
          {execution.error.details.map(({ message }) => message).join(' · ')}
        </Alert>
      )}
      {children(output, state, run)}
      {execution?.warnings.map((warning) => (
        <Dimmed key={warning} size="xs" mt="xs">
          {warning}
        </Dimmed>
      ))}
    </Card>
  );
}

export interface Run {
  id: string;
  title: string;
  assetId?: string;
}

const MAX_RUNS = 20;

/** Keeps the runs of this tab, newest first, across reloads. */
export function useRuns(kind: string) {
  const { storageKey } = useScope();
  const [runs, setRuns] = useSessionStorage<Run[]>({
    key: `chorus.runs.${storageKey}.${kind}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return {
    runs,
    add: (run: Run) => setRuns((all) => [run, ...all].slice(0, MAX_RUNS)),
    remove: (id: string) => setRuns((all) => all.filter((run) => run.id !== id)),
  };
}
