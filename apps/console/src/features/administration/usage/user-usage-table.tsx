import type { ListedUser, UserUsageReport } from '@chorus/client';
import { ChartBarIcon } from '@heroicons/react/24/outline';
import { Table } from '@mantine/core';
import { Cost } from '../../../components/cost.tsx';
import { formatCost } from '../../../components/format.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { UsageHeads } from '../../../components/usage-heads.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import { Sparkline } from './sparkline.tsx';
import { usageByUser } from './user-usage.ts';

const MAX_SHOWN = 200;

interface UserUsageTableProps {
  report: UserUsageReport;
  users: readonly ListedUser[];
}

export function UserUsageTable({ report, users }: UserUsageTableProps) {
  const rows = usageByUser(report).slice(0, MAX_SHOWN);
  if (rows.length === 0)
    return (
      <EmptyState title={t('components.noUsage')} icon={ChartBarIcon}>
        {t('administration.noUsageHint')}
      </EmptyState>
    );
  const most = Math.max(...rows.flatMap(({ byDay }) => byDay));
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('administration.user')}</Table.Th>
            <Table.Th>{t('administration.byDay')}</Table.Th>
            <UsageHeads />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ userId, byDay, executions, tokens, cost, isPartial, isEstimated }) => {
            const name = emails.get(userId) ?? userId;
            return (
              <Table.Tr key={userId}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td>
                  <Sparkline
                    values={byDay}
                    most={most}
                    label={t('administration.executionsOfByDay', { name, counts: byDay.join(', ') })}
                  />
                </Table.Td>
                <Table.Td ta="end">{formatNumber(executions)}</Table.Td>
                <Table.Td ta="end">{formatNumber(tokens)}</Table.Td>
                <Table.Td ta="end" title={isPartial ? t('administration.partialCost') : undefined}>
                  {isPartial ? partialCostText(cost) : <Cost usd={cost} isEstimated={isEstimated} />}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function partialCostText(usd: number): string {
  return usd === 0 ? t('components.unknown') : t('administration.overCost', { cost: formatCost(usd) });
}
