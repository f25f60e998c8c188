import { Table, Tooltip } from '@mantine/core';
import { formatDay, formatExactCost } from '../../../components/format.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import classes from './bar-chart.module.css';
import type { Bar, UsageSum } from './usage-sums.ts';

const dayOf = (bar: Bar | undefined) => bar && formatDay(bar.name);

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
          <Tooltip key={name} label={`${formatDay(name)}: ${format(value)}`}>
            <li className={classes.place} aria-label={`${formatDay(name)}: ${format(value)}`}>
              <span className={classes.bar} style={{ height: `${(100 * value) / max}%` }} />
            </li>
          </Tooltip>
        ))}
      </ul>
      <figcaption className={classes.axis}>
        <Dimmed size="xs">{dayOf(bars[0])}</Dimmed>
        <Dimmed size="xs">{t('settings.maxPerDay', { value: format(max === Number.MIN_VALUE ? 0 : max) })}</Dimmed>
        <Dimmed size="xs">{dayOf(bars.at(-1))}</Dimmed>
      </figcaption>
    </figure>
  );
}

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
              <Table.Th ta="end">{t('components.executions')}</Table.Th>
              <Table.Th ta="end">{t('components.tokens')}</Table.Th>
              <Table.Th ta="end">{t('components.cost')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sums.map(({ name, executions, total_tokens, cost_usd, unpriced_executions }) => (
              <Table.Tr key={name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td ta="end">{formatNumber(executions)}</Table.Td>
                <Table.Td ta="end">{formatNumber(total_tokens)}</Table.Td>
                <Table.Td ta="end">
                  {unpriced_executions === executions ? t('components.unknown') : formatExactCost(cost_usd)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
