import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { QueryView } from '../../../components/placeholders.tsx';
import { SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { LanesSection } from './lanes-section.tsx';
import { PoolCard } from './pool-card.tsx';
import { QUEUES_KEY } from './pools.ts';
import { QueueJobs } from './queue-jobs.tsx';
import classes from './queues.module.css';

const REFRESH_MS = 5_000;

/** Shows the load of each queue, and the failed jobs of all users. */
export default function QueuesPanel() {
  const { client } = useScope();
  const report = useQuery({
    queryKey: [...QUEUES_KEY, 'report'],
    queryFn: ({ signal }) => client.queues.get({ signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="xl">
      <section>
        <SectionTitle mb="md">{t('administration.queues')}</SectionTitle>
        <QueryView query={report}>
          {({ data }) => (
            <ul className={classes.pools}>
              {data.map((pool) => (
                <PoolCard key={pool.pool} pool={pool} />
              ))}
            </ul>
          )}
        </QueryView>
      </section>
      <LanesSection />
      <QueueJobs />
    </Stack>
  );
}
