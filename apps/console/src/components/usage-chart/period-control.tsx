import { SegmentedControl } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';

interface PeriodControlProps {
  /** Periods to choose from, in days. */
  choices: readonly number[];
  days: number;
  onChange: (days: number) => void;
}

/** Chooses how many days of usage to show. */
export function PeriodControl({ choices, days, onChange }: PeriodControlProps) {
  return (
    <SegmentedControl
      data={choices.map((count) => ({ value: String(count), label: t('components.dayCount', { count }) }))}
      value={String(days)}
      onChange={(value) => onChange(Number(value))}
      aria-label={t('components.period')}
    />
  );
}
