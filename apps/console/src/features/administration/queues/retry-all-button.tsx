import type { ChorusClient } from '@chorus/client';
import { ArrowPathIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess, notifyWarning } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { type PoolName, poolLabel, QUEUES_KEY } from './pools.ts';

export function RetryAllButton({ pool }: { pool: PoolName | null }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure();
  const retry = useMutation({
    mutationFn: () => retryAll(client, pool),
    onSuccess: ({ retried, reasons }) => {
      const [reason] = reasons;
      if (retried > 0) notifySuccess(t('queues.retried', { count: retried }));
      if (reason !== undefined) notifyWarning(t('queues.notRetried', { count: reasons.length }), reason);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUEUES_KEY }),
  });
  const name = pool === null ? t('queues.retryAll') : t('queues.retryAllOf', { queue: poolLabel(pool) });
  return (
    <>
      <Button variant="default" leftSection={<ArrowPathIcon />} onClick={asking.open} loading={retry.isPending}>
        {name}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={asking.close}
        title={t('queues.retryAllQuestion')}
        confirmLabel={name}
        onConfirm={() => retry.mutate()}
      >
        {t('queues.retryAllHint')}
      </ConfirmDialog>
    </>
  );
}

/** Retries the failed jobs page by page. Jobs that fail again in the meantime are newer than the first page. */
async function retryAll(client: ChorusClient, pool: PoolName | null): Promise<{ retried: number; reasons: string[] }> {
  const reasons: string[] = [];
  let retried = 0;
  let after: string | undefined;
  do {
    const page = await client.queues.jobs({ state: 'failed', limit: 100, ...(pool !== null && { pool }), after });
    if (page.data.length === 0) break;
    const { data } = await client.queues.retry(page.data.map(({ id }) => id));
    for (const { error } of data) {
      if (error === null) retried += 1;
      else reasons.push(error.message);
    }
    after = page.next_cursor ?? undefined;
  } while (after !== undefined);
  return { retried, reasons };
}
