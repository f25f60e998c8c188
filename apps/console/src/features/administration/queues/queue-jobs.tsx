import type { AnswerOf } from '@chorus/client';
import { CheckCircleIcon } from '@heroicons/react/24/outline';
import { Button, Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import rows from '../../../components/row-list.module.css';
import { SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { type PoolName, poolLabel, pools, QUEUES_KEY } from './pools.ts';
import { QueueJobRow } from './queue-job-row.tsx';
import { RetryAllButton } from './retry-all-button.tsx';

const REFRESH_MS = 10_000;

type State = 'failed' | 'unfinished';
type JobPage = AnswerOf<'GET /queues/jobs'>;

/** Jobs of all users that have failed, or have not ended. */
export function QueueJobs() {
  const { client } = useScope();
  const [state, setState] = useState<State>('failed');
  const [pool, setPool] = useState<PoolName | null>(null);
  const filter = { state, ...(pool !== null && { pool }) };
  const jobs = useInfiniteQuery({
    queryKey: [...QUEUES_KEY, 'jobs', filter],
    queryFn: ({ pageParam: after, signal }) => client.queues.jobs({ ...filter, after, limit: 50 }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: JobPage) => page.next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  });
  return (
    <section>
      <SectionTitle mb="md">{t('common.jobs')}</SectionTitle>
      <Group mb="md" gap="xs">
        <SegmentedControl
          aria-label={t('components.status')}
          data={[
            { value: 'failed', label: t('components.failed') },
            { value: 'unfinished', label: t('queues.unfinished') },
          ]}
          value={state}
          onChange={(value) => setState(value as State)}
        />
        <Select
          aria-label={t('queues.queue')}
          placeholder={t('queues.allQueues')}
          data={pools.map((value) => ({ value, label: poolLabel(value) }))}
          value={pool}
          onChange={(value) => setPool(value as PoolName | null)}
          clearable
        />
        {state === 'failed' && (jobs.data?.pages[0]?.data.length ?? 0) > 0 && <RetryAllButton pool={pool} />}
      </Group>
      <QueryView query={jobs}>
        {({ pages }) =>
          pages.every(({ data }) => data.length === 0) ? (
            <EmptyState
              title={t(state === 'failed' ? 'queues.noFailed' : 'queues.noUnfinished')}
              icon={CheckCircleIcon}
            >
              {state === 'failed' && t('queues.noFailedHint')}
            </EmptyState>
          ) : (
            <Stack gap="sm">
              <ul className={rows.list} aria-label={t('common.jobs')}>
                {pages.flatMap(({ data }) => data.map((job) => <QueueJobRow key={job.id} job={job} />))}
              </ul>
              {jobs.hasNextPage && (
                <Button variant="default" onClick={() => jobs.fetchNextPage()} loading={jobs.isFetchingNextPage}>
                  {t('queues.showMore')}
                </Button>
              )}
            </Stack>
          )
        }
      </QueryView>
    </section>
  );
}
