import { Tooltip } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import { formatDay } from '../format.tsx';
import { Dimmed } from '../text.tsx';
import classes from './usage-chart.module.css';
import type { UsageSeries } from './usage-series.ts';

interface UsageChartProps {
  label: string;
  series: UsageSeries;
  format: (value: number) => string;
}

/** Shows a bar per day, stacked by group. */
export function UsageChart({ label, series: { names, days }, format }: UsageChartProps) {
  const max = Math.max(...days.map(({ total }) => total));
  const dayOf = (at: number) => formatDay(days.at(at)?.day ?? '');
  return (
    <figure className={classes.chart}>
      <ul className={classes.bars} aria-label={label}>
        {days.map(({ day, total, parts }) => {
          const sum = `${formatDay(day)}: ${format(total)}`;
          const shares = parts.flatMap((value, at) => (value === 0 ? [] : [`${names[at]}: ${format(value)}`]));
          return (
            <Tooltip key={day} label={[sum, ...shares].join('\n')} multiline style={{ whiteSpace: 'pre-line' }}>
              <li className={classes.day} aria-label={sum}>
                {parts.map(
                  (value, at) =>
                    value > 0 && (
                      <span
                        key={names[at]}
                        className={classes.part}
                        data-series={at}
                        style={{ height: `${(100 * value) / max}%` }}
                      />
                    ),
                )}
              </li>
            </Tooltip>
          );
        })}
      </ul>
      <figcaption className={classes.axis}>
        <Dimmed size="xs">{dayOf(0)}</Dimmed>
        <Dimmed size="xs">{t('components.maxPerDay', { value: format(max) })}</Dimmed>
        <Dimmed size="xs">{dayOf(-1)}</Dimmed>
      </figcaption>
      {names.length > 1 && (
        <ul className={classes.legend} aria-label={t('components.legend')}>
          {names.map((name, at) => (
            <li key={name}>
              <span className={classes.swatch} data-series={at} />
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}
