import { ArrowTopRightOnSquareIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRoute } from 'wouter';
import { useAccount } from '../../account/account-gate.tsx';
import { BatchList, useBatches } from '../../components/batches/batch-list.tsx';
import { Page } from '../../components/page.tsx';
import { t } from '../../i18n/i18n.ts';
import { basePath } from '../../page-config.ts';
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
      actions={user.operator && <OpenQueuesButton />}
    >
      {isBatches ? <Batches /> : <JobList jobId={id} />}
    </Page>
  );
}

function Batches() {
  return <BatchList list={useBatches()} />;
}

function OpenQueuesButton() {
  const { client } = useAccount();
  const open = useMutation({
    mutationFn: async () => {
      // Browsers allow a new tab only directly after the click.
      const tab = window.open('about:blank', '_blank');
      if (tab === null) throw new Error(t('jobs.popUpBlocked'));
      try {
        const { ticket } = await client.queues.ticket();
        tab.opener = null;
        tab.location.replace(`${location.origin}${basePath}/queues/enter?ticket=${ticket}`);
      } catch (error) {
        tab.close();
        throw error;
      }
    },
  });
  return (
    <Button
      variant="default"
      rightSection={<ArrowTopRightOnSquareIcon className="mirrored" />}
      onClick={() => open.mutate()}
      loading={open.isPending}
    >
      {t('jobs.queues')}
    </Button>
  );
}
