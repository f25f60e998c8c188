import type { ProviderTest } from '@chorus/client';
import { Text } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';

/** The outcome of a test, in words. */
export function TestResult({ result: { ok, model_count, message } }: { result: ProviderTest }) {
  const works = t('administration.keyWorks');
  const details = model_count === null ? works : `${works} ${t('administration.listsModels', { count: model_count })}`;
  return (
    <Text size="sm" c={ok ? undefined : 'var(--mantine-color-error)'} role="status">
      {ok ? details : message}
    </Text>
  );
}
