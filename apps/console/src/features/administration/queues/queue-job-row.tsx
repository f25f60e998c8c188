import type { QueueJob } from '@chorus/client';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { StatusBadge } from '../../../components/badges.tsx';
import { formatDuration, Time } from '../../../components/format.tsx';
import rows from '../../../components/row-list.module.css';
import { Dimmed } from '../../../components/text.tsx';
import { jobErrorText } from '../../../data/describe-error.ts';
import { useKindName } from '../../../data/kinds.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { QUEUES_KEY } from './pools.ts';

export function QueueJobRow({ job }: { job: QueueJob }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const kindName = useKindName();
  const { id, kind, status, model, error, user_email, created_at, started_at, finished_at } = job;
  const isFailed = status === 'failed';
  const change = useMutation({
    mutationFn: async () => {
      const { data } = isFailed ? await client.queues.retry([id]) : await client.queues.cancel([id]);
      const refused = data[0]?.error;
      if (refused) throw new Error(refused.message);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUEUES_KEY }),
  });
  const from = user_email ?? t('queues.deletedUser');
  return (
    <li className={rows.row}>
      <div className={rows.words}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {kindName(kind)}
          </Text>
          {!isFailed && <StatusBadge status={status} />}
        </Group>
        {error && <Text size="sm">{jobErrorText(error)}</Text>}
        <Dimmed size="xs">
          {[from, model].filter(Boolean).join(' · ')} · <Time at={finished_at ?? created_at} />
          {started_at !== null &&
            finished_at !== null &&
            ` · ${t('queues.ranFor', { time: formatDuration(Date.parse(finished_at) - Date.parse(started_at)) })}`}
        </Dimmed>
      </div>
      {status !== 'cancelling' && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => change.mutate()}
          loading={change.isPending}
          aria-label={t(isFailed ? 'queues.retryOf' : 'queues.cancelOf', { kind: kindName(kind), user: from })}
        >
          {isFailed ? t('queues.retry') : t('common.cancel')}
        </Button>
      )}
    </li>
  );
}
