import { QueueListIcon } from '@heroicons/react/24/outline';
import { Button, Group, Select } from '@mantine/core';
import { useRoute, useSearchParams } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListView } from '../../components/list-view.tsx';
import { Page } from '../../components/page.tsx';
import { JobDrawer } from './job-drawer.tsx';
import { JobRow } from './job-row.tsx';
import classes from './jobs-page.module.css';
import { kindNames } from './kind-names.ts';
import { type JobStatus, statuses, useJobs } from './use-jobs.ts';

/** Everything that runs or ran in the scope. */
export default function JobsPage() {
  const [, params] = useRoute('/jobs/:jobId');
  const [search, setSearch] = useSearchParams();
  const filters = {
    kind: search.get('kind'),
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
    <Page title="Jobs">
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
      <JobDrawer jobId={params?.jobId ?? null} />
    </Page>
  );
}
