import { SegmentedControl } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import { type Measure, measures } from './usage-series.ts';

interface MeasureControlProps {
  measure: Measure;
  onChange: (measure: Measure) => void;
}

export function MeasureControl({ measure, onChange }: MeasureControlProps) {
  return (
    <SegmentedControl
      data={measures.map(({ value, label }) => ({ value, label: t(label) }))}
      value={measure}
      onChange={(value) => onChange(value as Measure)}
      aria-label={t('components.measure')}
    />
  );
}
