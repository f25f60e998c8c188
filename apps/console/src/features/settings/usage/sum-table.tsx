import { Table } from '@mantine/core';
import { Cost } from '../../../components/cost.tsx';
import { formatExactCost } from '../../../components/format.tsx';
import { SectionTitle } from '../../../components/text.tsx';
import { UsageHeads } from '../../../components/usage-heads.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import type { UsageSum } from './usage-sums.ts';

export function SumTable({ title, of, sums }: { title: MessageKey; of: MessageKey; sums: readonly UsageSum[] }) {
  const label = t(title);
  return (
    <section>
      <SectionTitle mb="xs">{label}</SectionTitle>
      <Table.ScrollContainer minWidth={520}>
        <Table layout="fixed" aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="34%">{t(of)}</Table.Th>
              <UsageHeads />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sums.map(({ name, executions, total_tokens, cost_usd, unpriced_executions, estimated_executions }) => (
              <Table.Tr key={name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td ta="end">{formatNumber(executions)}</Table.Td>
                <Table.Td ta="end">{formatNumber(total_tokens)}</Table.Td>
                <Table.Td ta="end">
                  {unpriced_executions === executions ? (
                    t('components.unknown')
                  ) : (
                    <Cost usd={cost_usd} isEstimated={estimated_executions > 0} format={formatExactCost} />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
