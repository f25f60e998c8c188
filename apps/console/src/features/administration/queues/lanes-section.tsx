import type { Lane } from '@chorus/client';
import { ArrowsRightLeftIcon } from '@heroicons/react/24/outline';
import { Button, Stack, Table } from '@mantine/core';
import { useState } from 'react';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { isStopped, useLanes } from '../../../data/lanes.ts';
import { t } from '../../../i18n/i18n.ts';
import { LaneRow } from './lane-row.tsx';

const REFRESH_MS = 5_000;
const FIRST_ROWS = 50;

/** Shows what each provider allows for each model, and what waits for it. */
export function LanesSection() {
  const lanes = useLanes(REFRESH_MS);
  return (
    <section>
      <SectionTitle mb={4}>{t('lanes.title')}</SectionTitle>
      <Dimmed mb="md">{t('lanes.hint')}</Dimmed>
      <QueryView query={lanes}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title={t('lanes.none')} icon={ArrowsRightLeftIcon}>
              {t('lanes.noneHint')}
            </EmptyState>
          ) : (
            <LaneTable lanes={data} />
          )
        }
      </QueryView>
    </section>
  );
}

function LaneTable({ lanes }: { lanes: readonly Lane[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const sorted = [...lanes].sort((one, other) => urgency(other) - urgency(one) || other.waiting - one.waiting);
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={760}>
        <Table aria-label={t('lanes.title')} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('lanes.lane')}</Table.Th>
              <Table.Th ta="end">{t('lanes.calls')}</Table.Th>
              <Table.Th ta="end">{t('queues.waiting')}</Table.Th>
              <Table.Th>{t('lanes.lastMinute')}</Table.Th>
              <Table.Th>{t('lanes.state')}</Table.Th>
              <Table.Td />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(showsAll ? sorted : sorted.slice(0, FIRST_ROWS)).map((lane) => (
              <LaneRow key={lane.lane} lane={lane} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {!showsAll && sorted.length > FIRST_ROWS && (
        <Button variant="default" onClick={() => setShowsAll(true)}>
          {t('queues.showMore')}
        </Button>
      )}
    </Stack>
  );
}

/** Sorts lanes that need an operator first, then those that are closed, and those with calls. */
function urgency(lane: Lane): number {
  if (isStopped(lane)) return 3;
  if (lane.reason === 'away' || lane.reason === 'slow_down') return 2;
  return lane.in_use > 0 || lane.waiting > 0 ? 1 : 0;
}
