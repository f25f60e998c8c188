import type { PlatformLimits } from '@chorus/client';
import { PencilIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Code, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { LIMITS_KEY, type Limit, limitName, limitValue } from './limit-words.ts';

/** The limits of users and scopes. Those that the environment does not set can be changed. */
export default function LimitsSection() {
  const { client } = useScope();
  const [edited, setEdited] = useState<Limit | null>(null);
  const limits = useQuery({ queryKey: LIMITS_KEY, queryFn: ({ signal }) => client.users.limits({ signal }) });
  return (
    <section>
      <SectionTitle mb={4}>{t('limits.title')}</SectionTitle>
      <Dimmed mb="md">{t('limits.hint')}</Dimmed>
      <QueryView query={limits}>{({ data }) => <LimitTable limits={data} onEdit={setEdited} />}</QueryView>
      {edited && <LimitDialog limit={edited} onClose={() => setEdited(null)} />}
    </section>
  );
}

function LimitTable({ limits, onEdit }: { limits: PlatformLimits['data']; onEdit: (limit: Limit) => void }) {
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('limits.limit')}</Table.Th>
            <Table.Th ta="end">{t('limits.value')}</Table.Th>
            <Table.Th>{t('limits.setBy')}</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {limits.map((limit) => {
            const name = limitName(limit);
            return (
              <Table.Tr key={limit.name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td ta="end">{limitValue(limit, limit.value)}</Table.Td>
                <Table.Td>{sourceOf(limit)}</Table.Td>
                <Table.Td ta="end">
                  {limit.source !== 'environment' && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('limits.edit', { name })}
                      onClick={() => onEdit(limit)}
                    >
                      <PencilIcon />
                    </ActionIcon>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function sourceOf({ source, variable }: Limit) {
  if (source === 'environment') return <Code>{variable}</Code>;
  return source === 'stored' ? t('limits.stored') : t('limits.standard');
}
