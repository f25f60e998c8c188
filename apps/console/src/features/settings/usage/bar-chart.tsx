import { Text, Tooltip } from '@mantine/core';
import classes from './bar-chart.module.css';
import type { Bar } from './usage-sums.ts';

interface BarChartProps {
  label: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}

/** Bars side by side, the highest of which fills the height. */
export function BarChart({ label, bars, format }: BarChartProps) {
  const highest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <figure className={classes.chart}>
      <ul className={classes.bars} aria-label={label}>
        {bars.map(({ name, value }) => (
          <Tooltip key={name} label={`${name}: ${format(value)}`}>
            <li className={classes.place} aria-label={`${name}: ${format(value)}`}>
              <span className={classes.bar} style={{ height: `${(100 * value) / highest}%` }} />
            </li>
          </Tooltip>
        ))}
      </ul>
      <figcaption className={classes.axis}>
        <Text size="xs" c="dimmed">
          {bars[0]?.name}
        </Text>
        <Text size="xs" c="dimmed">
          at most {format(highest === Number.MIN_VALUE ? 0 : highest)} a day
        </Text>
        <Text size="xs" c="dimmed">
          {bars.at(-1)?.name}
        </Text>
      </figcaption>
    </figure>
  );
}
