import type { ExecutionProgress, OutputItem } from '@chorus/client';
import { StopIcon, XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Alert, Card, Group, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { ExecutionBar } from '../../../components/execution-bar.tsx';
import { Problem } from '../../../components/problem.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useExecution } from '../../../data/use-execution.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import type { Run } from './use-runs.ts';

interface RunCardProps {
  run: Run;
  onRemove: () => void;
  /** Draws what is there so far; absent places are not finished yet. */
  children: (output: readonly (OutputItem | undefined)[], progress: ExecutionProgress, run: Run) => ReactNode;
}

/** Something that runs or ran: how far it is, what it has made, and how it ended. */
export function RunCard({ run, onRemove, children }: RunCardProps) {
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
          <Tooltip label={execution === null ? 'Stop' : 'Put away; what was made stays in the gallery'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={execution === null ? stop : onRemove}
              aria-label={execution === null ? 'Stop' : 'Put away'}
            >
              {execution === null ? <StopIcon /> : <XMarkIcon />}
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {execution === null && error === null && <ExecutionBar status={status} progress={progress} />}
      {error !== null && <Problem error={error} onRetry={onRemove} />}
      {execution?.error && (
        <Alert color="red" title={execution.error.message}>
          {execution.error.details.map(({ message }) => message).join(' · ')}
        </Alert>
      )}
      {children(output, state, run)}
      {execution?.warnings.map((warning) => (
        <Text key={warning} size="xs" c="dimmed" mt="xs">
          {warning}
        </Text>
      ))}
    </Card>
  );
}
