import { type Execution, hasEnded } from '@chorus/client';
import { ArrowPathIcon, StopIcon } from '@heroicons/react/24/outline';
import { Alert, Anchor, Button, Checkbox, Group, Stack, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { PendingApprovals } from '../../components/agent-steps/pending-approvals.tsx';
import { StatusBadge } from '../../components/badges.tsx';
import { DeleteButton } from '../../components/confirm-dialog.tsx';
import { Cost } from '../../components/cost.tsx';
import { SideDrawer } from '../../components/dialog.tsx';
import { formatDuration, formatExactCost, Time } from '../../components/format.tsx';
import { QueryView } from '../../components/placeholders.tsx';
import { ExecutionBar } from '../../components/progress-bars.tsx';
import { CreatorNote } from '../../components/role-gate.tsx';
import { SectionTitle } from '../../components/text.tsx';
import { Warnings } from '../../components/warnings.tsx';
import { jobErrorText } from '../../data/describe-error.ts';
import { useKindName } from '../../data/kinds.ts';
import { formatNumber, t } from '../../i18n/i18n.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { JobOutput } from './job-output.tsx';
import { Timeline } from './timeline.tsx';

const Trace = lazy(() => import('./trace.tsx'));

export function JobDrawer({ jobId }: { jobId: string | null }) {
  const { client, scopeKey } = useScope();
  const [, navigate] = useLocation();
  const search = useSearch();
  const query = useQuery({
    queryKey: [scopeKey, 'jobs', 'one', jobId],
    queryFn: ({ signal }) => client.jobs.get(String(jobId), { signal }),
    enabled: jobId !== null,
  });
  const close = () => navigate(`/jobs${search === '' ? '' : `?${search}`}`);
  const kindName = useKindName();
  const title = query.data ? kindName(query.data.kind) : t('jobs.job');
  return (
    <SideDrawer opened={jobId !== null} onClose={close} title={title} position="right" size="lg">
      <QueryView query={query}>{(job) => <Job key={job.id} job={job} />}</QueryView>
    </SideDrawer>
  );
}

function Job({ job }: { job: Execution }) {
  const { client, scopeKey } = useScope();
  const { isAtLeast, canChange } = useRole();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'jobs'] });
  const cancel = useMutation({ mutationFn: () => client.jobs.cancel(job.id), onSettled });
  const retry = useMutation({
    mutationFn: () => client.jobs.retry(job.id),
    onSuccess: ({ id }) => navigate(`/jobs/${id}`),
    onSettled,
  });
  const canRetry = job.status === 'failed' || job.status === 'cancelled';
  return (
    <Stack>
      <Group justify="space-between">
        <StatusBadge status={job.status} />
        {!hasEnded(job) && canChange(job.user_id) && (
          <Button
            variant="default"
            leftSection={<StopIcon />}
            onClick={() => cancel.mutate()}
            loading={cancel.isPending}
          >
            {t('common.cancel')}
          </Button>
        )}
        {isAtLeast('editor') && canRetry && (
          <Button leftSection={<ArrowPathIcon />} onClick={() => retry.mutate()} loading={retry.isPending}>
            {t('jobs.runAgain')}
          </Button>
        )}
        {hasEnded(job) && canChange(job.user_id) && <DeleteJob job={job} />}
      </Group>
      {!hasEnded(job) && !canChange(job.user_id) && <CreatorNote action={t('components.actionCancel')} />}
      {!hasEnded(job) && job.status !== 'requires_action' && (
        <ExecutionBar status={job.status} progress={job.progress} waitingFor={job.waiting_for} />
      )}
      {job.error && (
        <Alert color="red" title={jobErrorText(job.error)}>
          {job.error.code}
        </Alert>
      )}
      {job.status === 'requires_action' && <PendingApprovals executionId={job.id} attempt={job.attempt} />}
      <JobOutput output={job.output} />
      <JobDetails job={job} />
      {job.started_at !== null && (
        <Suspense>
          <Trace job={job} />
        </Suspense>
      )}
      <div>
        <SectionTitle mb="xs">{t('jobs.timeline')}</SectionTitle>
        <Timeline jobId={job.id} onEnd={onSettled} />
      </div>
    </Stack>
  );
}

function JobDetails({ job }: { job: Execution }) {
  const { usage, started_at, finished_at } = job;
  const took = started_at !== null && finished_at !== null ? Date.parse(finished_at) - Date.parse(started_at) : null;
  const waited = started_at === null ? null : Date.parse(started_at) - Date.parse(job.created_at);
  const rows: [string, ReactNode][] = [
    [t('jobs.created'), <Time key="created" at={job.created_at} />],
    [t('jobs.queueTime'), waited === null ? '–' : formatDuration(Math.max(0, waited))],
    [t('jobs.duration'), took === null ? '–' : formatDuration(Math.max(0, took))],
    [t('common.model'), job.model ?? '–'],
    [t('jobs.attempts'), formatNumber(job.attempt)],
    [t('components.tokens'), t('jobs.tokensInOut', { input: usage.input_tokens, output: usage.output_tokens })],
    [
      t('components.cost'),
      usage.cost_usd === null ? (
        t('components.unknown')
      ) : (
        <Cost key="cost" usd={usage.cost_usd} isEstimated={usage.estimated === true} format={formatExactCost} />
      ),
    ],
    [t('jobs.id'), <code key="id">{job.id}</code>],
  ];
  return (
    <div>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={124}>{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="md" mt="xs">
        {job.session_id !== null && (
          <Anchor component={Link} href={`/chat/${job.session_id}`} size="sm">
            {t('components.viewConversation')}
          </Anchor>
        )}
        {job.batch_id !== null && (
          <Anchor component={Link} href={`/jobs?batch=${job.batch_id}`} size="sm">
            {t('jobs.viewBatch')}
          </Anchor>
        )}
        {job.retry_of !== null && (
          <Anchor component={Link} href={`/jobs/${job.retry_of}`} size="sm">
            {t('jobs.viewOriginalJob')}
          </Anchor>
        )}
      </Group>
      <Warnings warnings={job.warnings} />
    </div>
  );
}

function DeleteJob({ job }: { job: Execution }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [withAssets, setWithAssets] = useState(false);
  const hasAssets = job.output.some(({ type }) => type === 'asset');
  const onGone = () => {
    navigate(`/jobs${search === '' ? '' : `?${search}`}`);
    queryClient.removeQueries({ queryKey: [scopeKey, 'jobs', 'one', job.id] });
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'jobs', 'list'] });
    if (withAssets) queryClient.invalidateQueries({ queryKey: [scopeKey, 'assets'] });
  };
  return (
    <DeleteButton
      title={t('jobs.deleteThisJob')}
      onDelete={() => client.jobs.delete(job.id, { assets: withAssets })}
      onDeleted={onGone}
    >
      {t('jobs.deleteHint')}
      {hasAssets && (
        <Checkbox
          mt="md"
          label={t('jobs.deleteFiles')}
          checked={withAssets}
          onChange={(event) => setWithAssets(event.currentTarget.checked)}
        />
      )}
    </DeleteButton>
  );
}
