import { QueueListIcon } from '@heroicons/react/24/outline';
import { Button, Group, Select } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListView } from '../../components/list-view.tsx';
import { JobDrawer } from './job-drawer.tsx';
import classes from './job-list.module.css';
import { JobRow } from './job-row.tsx';
import { isJobKind, kindNames } from './kind-names.ts';
import { type JobStatus, statuses, useJobs } from './use-jobs.ts';

/** Executions by kind, status and batch, and the one that is open. @param jobId null: none is */
export function JobList({ jobId }: { jobId: string | null }) {
  const [search, setSearch] = useSearchParams();
  const kind = search.get('kind');
  const filters = {
    kind: isJobKind(kind) ? kind : null,
    status: search.get('status') as JobStatus | null,
    batch: search.get('batch'),
  };
  const jobs = useJobs(filters);
  const choose = (name: string, value: string | null) =>
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
        <Group gap="xs">
          <Select
            aria-label="Kind"
            placeholder="Every kind"
            data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
            value={filters.kind}
            onChange={(value) => choose('kind', value)}
            clearable
          />
          <Select
            aria-label="Status"
            placeholder="Every status"
            data={[...statuses]}
            value={filters.status}
            onChange={(value) => choose('status', value)}
            clearable
          />
          {filters.batch !== null && (
            <Button variant="default" onClick={() => choose('batch', null)}>
              One batch alone ✕
            </Button>
          )}
        </Group>
        <div className={classes.rows}>
          <ListView
            label="Jobs"
            list={jobs}
            estimatedHeight={57}
            empty={
              <EmptyState title={isFiltered ? 'No such job' : 'Nothing has run yet'} icon={QueueListIcon}>
                {isFiltered
                  ? 'Choose other filters to see more.'
                  : 'Answers, images, documents: whatever runs is shown here, live.'}
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
