import { Table, Title } from '@mantine/core';
import type { UsageSum } from './usage-sums.ts';

/** @param of what the sums are of, as in `Model` */
export function SumTable({ of, sums }: { of: string; sums: readonly UsageSum[] }) {
  const title = `By ${of.toLowerCase()}`;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <Table.ScrollContainer minWidth={520}>
        <Table layout="fixed" aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="34%">{of}</Table.Th>
              <Table.Th ta="end">Executions</Table.Th>
              <Table.Th ta="end">Tokens</Table.Th>
              <Table.Th ta="end">Cost</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sums.map(({ name, executions, total_tokens, cost_usd, unpriced_executions }) => (
              <Table.Tr key={name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td ta="end">{executions.toLocaleString()}</Table.Td>
                <Table.Td ta="end">{total_tokens.toLocaleString()}</Table.Td>
                <Table.Td ta="end">
                  {unpriced_executions === executions ? 'not known' : `$${cost_usd.toFixed(4)}`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
