import { Button } from '@mantine/core';
import { Link, useRoute } from 'wouter';
import { useAccount } from '../../account/account-gate.tsx';
import { BatchList, useBatches } from '../../components/batches/batch-list.tsx';
import { Page } from '../../components/page.tsx';
import { t } from '../../i18n/i18n.ts';
import { JobList } from './job-list.tsx';

const BATCHES = 'batches';

const tabs = [
  { path: '', label: 'common.jobs' },
  { path: BATCHES, label: 'components.batches' },
] as const;

export default function JobsPage() {
  const { user } = useAccount();
  const [, params] = useRoute('/jobs/:id');
  const id = params?.id ?? null;
  const isBatches = id === BATCHES;
  return (
    <Page
      title={t('common.jobs')}
      base="/jobs"
      tabs={tabs}
      current={isBatches ? BATCHES : ''}
      actions={
        user.operator && (
          <Button component={Link} href="/administration/queues" variant="default">
            {t('jobs.queues')}
          </Button>
        )
      }
    >
      {isBatches ? <Batches /> : <JobList jobId={id} />}
    </Page>
  );
}

function Batches() {
  return <BatchList list={useBatches()} />;
}
