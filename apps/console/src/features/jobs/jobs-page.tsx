import { useRoute } from 'wouter';
import { useAccount } from '../../account/account-gate.tsx';
import { BatchList } from '../../components/batches/batch-list.tsx';
import { useBatches } from '../../components/batches/use-batches.ts';
import { Page } from '../../components/page.tsx';
import { JobList } from './job-list.tsx';
import { OpenQueues } from './open-queues.tsx';

const BATCHES = 'batches';

const tabs = [
  { path: '', label: 'One by one' },
  { path: BATCHES, label: 'Batches' },
];

/** Everything that runs or ran in the scope. */
export default function JobsPage() {
  const { user } = useAccount();
  const [, params] = useRoute('/jobs/:id');
  const id = params?.id ?? null;
  const isBatches = id === BATCHES;
  return (
    <Page
      title="Jobs"
      base="/jobs"
      tabs={tabs}
      current={isBatches ? BATCHES : ''}
      actions={user.operator && <OpenQueues />}
    >
      {isBatches ? <Batches /> : <JobList jobId={id} />}
    </Page>
  );
}

function Batches() {
  return <BatchList list={useBatches()} />;
}
