import type { PlatformLimits } from '@chorus/client';
import { Code, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatSize } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useScope } from '../../../scope/scope-context.tsx';

type Limit = PlatformLimits['data'][number];

const NAMES: Readonly<Record<string, MessageKey>> = {
  executions: 'administration.limitExecutions',
  batches: 'administration.limitBatches',
  event_streams: 'administration.limitEventStreams',
  waiting_requests: 'administration.limitWaitingRequests',
  voice_sockets: 'administration.limitVoice',
  uploads: 'administration.limitUploads',
  reads: 'administration.limitReads',
  writes: 'administration.limitWrites',
  new_executions: 'administration.limitNewExecutions',
  storage: 'administration.limitStorage',
};

/** The limits, which the environment sets. */
export function Limits() {
  const { client } = useScope();
  const limits = useQuery({
    queryKey: ['administration', 'limits'],
    queryFn: ({ signal }) => client.users.limits({ signal }),
  });
  return (
    <section>
      <SectionTitle mb={4}>{t('components.limits')}</SectionTitle>
      <Dimmed mb="md">{t('administration.limitsHint')}</Dimmed>
      <QueryView query={limits}>
        {({ data }) => (
          <Table.ScrollContainer minWidth={480}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('administration.limit')}</Table.Th>
                  <Table.Th ta="end">{t('components.value')}</Table.Th>
                  <Table.Th>{t('administration.variable')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((limit) => (
                  <Table.Tr key={limit.name}>
                    <Table.Td>{nameOf(limit.name)}</Table.Td>
                    <Table.Td ta="end">{inWords(limit)}</Table.Td>
                    <Table.Td>
                      <Code>{limit.variable}</Code>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </QueryView>
    </section>
  );
}

/** Limits of a newer server keep their name. */
function nameOf(limit: string): string {
  const key = NAMES[limit];
  return key === undefined ? limit : t(key);
}

function inWords({ value, unit }: Limit): string {
  if (value === null) return t('components.noLimit');
  if (unit === 'bytes') return formatSize(value);
  return unit === 'per_minute' ? t('components.perMinute', { value: formatNumber(value) }) : formatNumber(value);
}
