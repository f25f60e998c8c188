import { type ChorusClient, type Execution, hasEnded, type Job } from '@chorus/client';
import { QueueListIcon } from '@heroicons/react/24/outline';
import { Button, Group, Progress, Select, Text } from '@mantine/core';
import { memo } from 'react';
import { Link, useSearch, useSearchParams } from 'wouter';
import { StatusBadge } from '../../components/badges.tsx';
import { formatDuration, Time } from '../../components/format.tsx';
import { ListView } from '../../components/list-view.tsx';
import { EmptyState } from '../../components/placeholders.tsx';
import rows from '../../components/rows.module.css';
import { statusLabel } from '../../components/statuses.ts';
import { Dimmed } from '../../components/text.tsx';
import { useKindName, useKinds } from '../../data/kinds.ts';
import { useLiveEvent } from '../../data/live-events.tsx';
import { useCursorList } from '../../data/use-cursor-list.ts';
import { t } from '../../i18n/i18n.ts';
import { JobDrawer } from './job-drawer.tsx';
import classes from './job-list.module.css';

export function JobList({ jobId }: { jobId: string | null }) {
  const [search, setSearch] = useSearchParams();
  const kinds = useKinds();
  const selected = search.get('kind');
  const filters = {
    kind: kinds.length === 0 || kinds.some(({ kind }) => kind === selected) ? selected : null,
    status: search.get('status') as JobStatus | null,
    batch: search.get('batch'),
  };
  const jobs = useJobs(filters);
  const setFilter = (name: string, value: string | null) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  const isFiltered = Object.values(filters).some((value) => value !== null);
  return (
    <>
      <div className={classes.jobs}>
        <Group gap="xs" className={classes.filters}>
          <Select
            aria-label={t('jobs.kind')}
            placeholder={t('jobs.allKinds')}
            data={kinds.map(({ kind, label }) => ({ value: kind, label }))}
            value={filters.kind}
            onChange={(value) => setFilter('kind', value)}
            clearable
          />
          <Select
            aria-label={t('components.status')}
            placeholder={t('jobs.allStatuses')}
            data={statuses.map((status) => ({ value: status, label: statusLabel(status) }))}
            value={filters.status}
            onChange={(value) => setFilter('status', value)}
            clearable
          />
          {filters.batch !== null && (
            <Button variant="default" onClick={() => setFilter('batch', null)}>
              {t('jobs.clearBatchFilter')}
            </Button>
          )}
        </Group>
        <div className={rows.rows}>
          <ListView
            label={t('common.jobs')}
            list={jobs}
            estimatedHeight={57}
            empty={
              <EmptyState title={isFiltered ? t('jobs.noMatchingJobs') : t('jobs.noJobsYet')} icon={QueueListIcon}>
                {isFiltered ? t('jobs.noMatchingHint') : t('jobs.noJobsHint')}
              </EmptyState>
            }
          >
            {(job) => <JobRow job={job} />}
          </ListView>
        </div>
      </div>
      <JobDrawer jobId={jobId} />
    </>
  );
}

const JobRow = memo(({ job }: { job: Job }) => {
  const kindName = useKindName();
  const search = useSearch();
  const { id, kind, subject, status, model, progress, created_at, started_at, finished_at } = job;
  const isCounted = !hasEnded(job) && progress !== null && progress.total > 0;
  return (
    <Link href={`/jobs/${id}${search === '' ? '' : `?${search}`}`} className={`${rows.row} ${classes.row}`}>
      <span className={classes.what}>
        <Text size="sm" fw={600} truncate dir="auto">
          {subject ?? kindName(kind)}
        </Text>
        <Dimmed size="xs" truncate>
          {[subject === null ? null : kindName(kind), model].filter(Boolean).join(' · ')}
        </Dimmed>
      </span>
      <span className={classes.state}>
        <StatusBadge status={status} />
        {isCounted && (
          <Progress
            value={(100 * progress.completed) / progress.total}
            size="sm"
            w={80}
            aria-label={t('components.countOfTotal', { count: progress.completed, total: progress.total })}
          />
        )}
      </span>
      <Dimmed size="xs" className={classes.time}>
        <Time at={created_at} />
        {started_at !== null &&
          finished_at !== null &&
          ` · ${formatDuration(Date.parse(finished_at) - Date.parse(started_at))}`}
      </Dimmed>
    </Link>
  );
});

const statuses = ['queued', 'running', 'requires_action', 'succeeded', 'failed', 'cancelling', 'cancelled'] as const;
type JobStatus = Execution['status'];

type JobsQuery = NonNullable<Parameters<ChorusClient['jobs']['list']>[0]>;

interface JobFilters {
  kind: string | null;
  status: JobStatus | null;
  batch: string | null;
}

function useJobs({ kind, status, batch }: JobFilters) {
  const filters = {
    ...(kind !== null && { kind: kind as JobsQuery['kind'] }),
    ...(status !== null && { status }),
    ...(batch !== null && { batch_id: batch }),
  };
  const list = useCursorList({
    name: 'jobs',
    filters,
    fetchPage: (client, query, options) => client.jobs.list({ ...query, ...filters }, options),
  });
  useLiveEvent((event) => {
    if (!('execution_id' in event) || !('status' in event)) return;
    const change: Partial<Execution> = { status: event.status };
    if (event.type === 'execution.progress') change.progress = event.progress;
    list.patch(event.execution_id, change);
  });
  return list;
}
