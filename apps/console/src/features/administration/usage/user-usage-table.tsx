import type { ListedUser, UserUsageReport } from '@chorus/client';
import { ChartBarIcon } from '@heroicons/react/24/outline';
import { Table } from '@mantine/core';
import { EmptyState } from '../../../components/placeholders.tsx';
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
      <EmptyState title="No usage" icon={ChartBarIcon}>
        Answers, images, and documents of all users are counted here.
      </EmptyState>
    );
  const most = Math.max(...rows.flatMap(({ byDay }) => byDay));
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>User</Table.Th>
            <Table.Th>By day</Table.Th>
            <Table.Th ta="end">Executions</Table.Th>
            <Table.Th ta="end">Tokens</Table.Th>
            <Table.Th ta="end">Cost</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ userId, byDay, executions, tokens, cost, isPartial }) => {
            const name = emails.get(userId) ?? userId;
            return (
              <Table.Tr key={userId}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td>
                  <Sparkline values={byDay} most={most} label={`Executions of ${name} by day: ${byDay.join(', ')}`} />
                </Table.Td>
                <Table.Td ta="end">{executions.toLocaleString()}</Table.Td>
                <Table.Td ta="end">{tokens.toLocaleString()}</Table.Td>
                <Table.Td ta="end" title={isPartial ? 'Some executions have no known price' : undefined}>
                  {isPartial && cost === 0 ? 'Unknown' : `${isPartial ? 'over ' : ''}$${cost.toFixed(2)}`}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
