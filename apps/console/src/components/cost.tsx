import { Tooltip } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { formatCost } from './format.tsx';

interface CostProps {
  usd: number;
  isEstimated: boolean;
  format?: (usd: number) => string;
}

/** US dollars, marked if partly estimated. */
export function Cost({ usd, isEstimated, format = formatCost }: CostProps) {
  if (!isEstimated) return format(usd);
  return (
    <Tooltip label={t('components.estimatedHint')} multiline w={260}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard */}
      <span tabIndex={0}>{t('components.aboutCost', { cost: format(usd) })}</span>
    </Tooltip>
  );
}
