import { type Execution, hasEnded } from '@chorus/client';
import { ArrowPathIcon, StopIcon } from '@heroicons/react/24/outline';
import { Alert, Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { durationText } from '../../components/duration.ts';
import { ExecutionBar } from '../../components/execution-bar.tsx';
import { MakersNote } from '../../components/makers-note.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { notifyError } from '../../data/notify.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { DeleteJob } from './delete-job.tsx';
import { JobOutput } from './job-output.tsx';
import { kindName } from './kind-names.ts';
import { Timeline } from './timeline.tsx';

/** One job, with all that is known of it. @param jobId null: closed */
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
  const title = query.data ? kindName(query.data.kind) : 'Job';
  return (
    <SideDrawer opened={jobId !== null} onClose={close} title={title} position="right" size="lg">
      <QueryView query={query}>{(job) => <Job key={job.id} job={job} />}</QueryView>
    </SideDrawer>
  );
}

function Job({ job }: { job: Execution }) {
  const { client, scopeKey } = useScope();
  const { isAtLeast, mayChange } = useRole();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'jobs'] });
  const cancel = useMutation({ mutationFn: () => client.jobs.cancel(job.id), onError: notifyError, onSettled });
  const retry = useMutation({
    mutationFn: () => client.jobs.retry(job.id),
    onSuccess: ({ id }) => navigate(`/jobs/${id}`),
    onError: notifyError,
    onSettled,
  });
  const canRetry = job.status === 'failed' || job.status === 'cancelled';
  return (
    <Stack>
      <Group justify="space-between">
        <StatusBadge status={job.status} />
        {!hasEnded(job) && mayChange(job.user_id) && (
          <Button
            variant="default"
            leftSection={<StopIcon />}
            onClick={() => cancel.mutate()}
            loading={cancel.isPending}
          >
            Cancel
          </Button>
        )}
        {isAtLeast('editor') && canRetry && (
          <Button leftSection={<ArrowPathIcon />} onClick={() => retry.mutate()} loading={retry.isPending}>
            Run it again
          </Button>
        )}
        {hasEnded(job) && mayChange(job.user_id) && <DeleteJob job={job} />}
      </Group>
      {!hasEnded(job) && !mayChange(job.user_id) && <MakersNote maker="Who began it" what="cancel it" />}
      {!hasEnded(job) && <ExecutionBar status={job.status} progress={job.progress} />}
      {job.error && (
        <Alert color="red" title={job.error.message}>
          {job.error.code}
        </Alert>
      )}
      <JobOutput output={job.output} />
      <Facts job={job} />
      <div>
        <Title order={2} size="h5" mb="xs">
          What happened
        </Title>
        <Timeline jobId={job.id} onEnd={onSettled} />
      </div>
    </Stack>
  );
}

function Facts({ job }: { job: Execution }) {
  const { usage, started_at, finished_at } = job;
  const took = started_at !== null && finished_at !== null ? Date.parse(finished_at) - Date.parse(started_at) : null;
  const waited = started_at === null ? null : Date.parse(started_at) - Date.parse(job.created_at);
  const facts: [string, ReactNode][] = [
    ['Begun', <Time key="begun" at={job.created_at} />],
    ['Waited', waited === null ? '–' : durationText(Math.max(0, waited))],
    ['Took', took === null ? '–' : durationText(Math.max(0, took))],
    ['Model', job.model ?? '–'],
    ['Attempt', job.attempt],
    ['Tokens', `${usage.input_tokens.toLocaleString()} in, ${usage.output_tokens.toLocaleString()} out`],
    ['Cost', usage.cost_usd === null ? 'not known' : `$${usage.cost_usd.toFixed(4)}`],
    ['Id', <code key="id">{job.id}</code>],
  ];
  return (
    <div>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {facts.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={110}>{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="md" mt="xs">
        {job.session_id !== null && (
          <Anchor component={Link} href={`/chat/${job.session_id}`} size="sm">
            The conversation
          </Anchor>
        )}
        {job.batch_id !== null && (
          <Anchor component={Link} href={`/jobs?batch=${job.batch_id}`} size="sm">
            All of its batch
          </Anchor>
        )}
        {job.retry_of !== null && (
          <Anchor component={Link} href={`/jobs/${job.retry_of}`} size="sm">
            What it runs again
          </Anchor>
        )}
      </Group>
      {job.warnings.map((warning) => (
        <Text key={warning} size="sm" c="dimmed" mt="xs">
          {warning}
        </Text>
      ))}
    </div>
  );
}
