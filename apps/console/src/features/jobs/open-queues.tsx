import { ArrowTopRightOnSquareIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useAccount } from '../../account/account-gate.tsx';
import { basePath } from '../../base-path.ts';
import { notifyError } from '../../data/notify.ts';

/** For operators: the way to what waits in the queues of all users. */
export function OpenQueues() {
  const { client } = useAccount();
  const open = useMutation({
    mutationFn: async () => {
      // Opened at once, since browsers allow it only right after the click.
      const tab = window.open('about:blank', '_blank');
      if (tab === null) throw new Error('The browser did not open a tab: allow this page to.');
      try {
        const { ticket } = await client.queues.ticket();
        tab.opener = null;
        tab.location.replace(`${location.origin}${basePath}/queues/enter?ticket=${ticket}`);
      } catch (error) {
        tab.close();
        throw error;
      }
    },
    onError: notifyError,
  });
  return (
    <Button
      variant="default"
      rightSection={<ArrowTopRightOnSquareIcon />}
      onClick={() => open.mutate()}
      loading={open.isPending}
    >
      Queues
    </Button>
  );
}
