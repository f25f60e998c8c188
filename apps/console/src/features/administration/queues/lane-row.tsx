import type { Lane } from '@chorus/client';
import { Badge, Button, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { formatDuration, Time } from '../../../components/format.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { isStopped, LANES_KEY } from '../../../data/lanes.ts';
import { notifySuccess } from '../../../data/notify.ts';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { rich } from '../../../i18n/rich.tsx';
import { useScope } from '../../../scope/scope-context.tsx';

type Reason = NonNullable<Lane['reason']>;

const STATES: Readonly<Record<Reason | 'open', { label: MessageKey; color: string }>> = {
  open: { label: 'lanes.open', color: 'teal' },
  busy: { label: 'lanes.busy', color: 'indigo' },
  slow_down: { label: 'lanes.slowDown', color: 'orange' },
  away: { label: 'lanes.away', color: 'red' },
  key: { label: 'lanes.keyRefused', color: 'red' },
  credit: { label: 'lanes.noCredit', color: 'red' },
};

export function LaneRow({ lane }: { lane: Lane }) {
  const { provider, model, limit, set_limit, in_use, waiting, oldest_waiting_ms } = lane;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw="normal">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {model}
        </Text>
        <Dimmed size="xs">{provider}</Dimmed>
      </Table.Th>
      <Table.Td ta="end">
        {t('lanes.callsOf', { used: formatNumber(in_use), limit: formatNumber(limit) })}
        <Dimmed size="xs">
          {set_limit === null ? t('lanes.learned') : t('lanes.setTo', { limit: formatNumber(set_limit) })}
        </Dimmed>
      </Table.Td>
      <Table.Td ta="end">
        {formatNumber(waiting)}
        {oldest_waiting_ms !== null && (
          <Dimmed size="xs">{t('queues.oldestWaits', { time: formatDuration(oldest_waiting_ms) })}</Dimmed>
        )}
      </Table.Td>
      <Table.Td>
        <Outcomes lane={lane} />
      </Table.Td>
      <Table.Td>
        <LaneState lane={lane} />
      </Table.Td>
      <Table.Td ta="end">
        <ResumeButton lane={lane} />
      </Table.Td>
    </Table.Tr>
  );
}

function Outcomes({ lane: { accepted, refused, failed } }: { lane: Lane }) {
  const parts = [
    t('lanes.accepted', { count: accepted }),
    ...(refused > 0 ? [t('lanes.refused', { count: refused })] : []),
    ...(failed > 0 ? [t('lanes.failed', { count: failed })] : []),
  ];
  return (
    <>
      {parts.map((part) => (
        <Text key={part} size="sm">
          {part}
        </Text>
      ))}
    </>
  );
}

/** The state in words, since when, and when the next call is tried. */
function LaneState({ lane }: { lane: Lane }) {
  const { reason, since, until, half_open } = lane;
  const { label, color } = STATES[reason ?? 'open'];
  return (
    <>
      <Badge variant="dot" color={color} tt="none" miw="max-content">
        {t(label)}
      </Badge>
      {reason !== null && (
        <Dimmed size="xs" mt={4}>
          {since !== null && rich('lanes.since', { time: <Time at={since} /> })}
          {since !== null && (half_open || until !== null || isStopped(lane)) && ' · '}
          {half_open
            ? t('lanes.testing')
            : until !== null
              ? rich('lanes.nextCall', { time: <Time at={until} /> })
              : isStopped(lane) && t('lanes.untilResumed')}
        </Dimmed>
      )}
    </>
  );
}

function ResumeButton({ lane: { lane, reason, half_open } }: { lane: Lane }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const resume = useMutation({
    mutationFn: () => client.lanes.resume({ lane }),
    onSuccess: () => notifySuccess(t('lanes.resumed', { lane })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: LANES_KEY }),
  });
  if (reason === null || reason === 'busy' || half_open) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => resume.mutate()}
      loading={resume.isPending}
      aria-label={t('lanes.resumeOf', { lane })}
    >
      {t('lanes.resume')}
    </Button>
  );
}
