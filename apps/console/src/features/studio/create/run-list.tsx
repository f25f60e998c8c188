import { type ExecutionProgress, hasEnded, type OutputItem } from '@chorus/client';
import { StopIcon, XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Alert, Card, Group, Stack, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../../components/badges.tsx';
import { ErrorState, Loading } from '../../../components/placeholders.tsx';
import { ExecutionBar } from '../../../components/progress-bars.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { jobErrorText, otherDetails } from '../../../data/describe-error.ts';
import { notifyError } from '../../../data/notify.ts';
import { useExecution } from '../../../data/use-execution.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { type Run, stateOf } from './runs.ts';
import type { useRuns } from './use-runs.ts';

interface RunListProps {
  list: ReturnType<typeof useRuns>;
  empty: ReactNode;
  children: (output: readonly (OutputItem | undefined)[], progress: ExecutionProgress, run: Run) => ReactNode;
}

export function RunList({ list: { runs, isPending, remove }, empty, children }: RunListProps) {
  if (isPending) return <Loading />;
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
  const state = useRun(run);
  const { status, progress, waitingFor, output, execution, error } = state;
  const stop = () => client.jobs.cancel(run.id).catch(notifyError);
  return (
    <Card withBorder component="article" aria-label={run.title} aria-busy={execution === null}>
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Text fw={600} lineClamp={2}>
          <bdi>{run.title}</bdi>
        </Text>
        <Group gap="xs" wrap="nowrap">
          {execution !== null && <StatusBadge status={status} />}
          <Tooltip label={execution === null ? t('studio.stop') : t('studio.dismissHint')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={execution === null ? stop : onRemove}
              aria-label={execution === null ? t('studio.stop') : t('studio.dismiss')}
            >
              {execution === null ? <StopIcon /> : <XMarkIcon />}
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {execution === null && error === null && (
        <ExecutionBar status={status} progress={progress} waitingFor={waitingFor} />
      )}
      {error !== null && <ErrorState error={error} onRetry={onRemove} />}
      {execution?.error && (
        <Alert color="red" title={jobErrorText(execution.error)}>
          {otherDetails(execution.error)}
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

/** Follows a run that has not ended. Ended runs are shown as stored. */
function useRun({ id, record }: Run): ExecutionProgress & { error: unknown } {
  const isStored = hasEnded(record);
  const live = useExecution(isStored ? null : id);
  return isStored ? stateOf(record) : live;
}
