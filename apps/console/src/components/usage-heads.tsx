import { Table } from '@mantine/core';
import { t } from '../i18n/i18n.ts';

/** Headers of the numeric columns in usage tables. */
export function UsageHeads() {
  const labels = [t('components.executions'), t('components.tokens'), t('components.cost')];
  return labels.map((label) => (
    <Table.Th key={label} ta="end">
      {label}
    </Table.Th>
  ));
}
