import { Table, Tooltip } from '@mantine/core';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import classes from './bar-chart.module.css';
import type { Bar, UsageSum } from './usage-sums.ts';

interface BarChartProps {
  label: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}

export function BarChart({ label, bars, format }: BarChartProps) {
  const max = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <figure className={classes.chart}>
      <ul className={classes.bars} aria-label={label}>
        {bars.map(({ name, value }) => (
          <Tooltip key={name} label={`${name}: ${format(value)}`}>
            <li className={classes.place} aria-label={`${name}: ${format(value)}`}>
              <span className={classes.bar} style={{ height: `${(100 * value) / max}%` }} />
            </li>
          </Tooltip>
        ))}
      </ul>
      <figcaption className={classes.axis}>
        <Dimmed size="xs">{bars[0]?.name}</Dimmed>
        <Dimmed size="xs">max. {format(max === Number.MIN_VALUE ? 0 : max)} per day</Dimmed>
        <Dimmed size="xs">{bars.at(-1)?.name}</Dimmed>
      </figcaption>
    </figure>
  );
}

export function SumTable({ of, sums }: { of: string; sums: readonly UsageSum[] }) {
  const title = `By ${of.toLowerCase()}`;
  return (
    <section>
      <SectionTitle mb="xs">{title}</SectionTitle>
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
                  {unpriced_executions === executions ? 'Unknown' : `$${cost_usd.toFixed(4)}`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
