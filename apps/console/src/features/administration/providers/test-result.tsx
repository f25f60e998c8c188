import type { ProviderTest } from '@chorus/client';
import { Text } from '@mantine/core';

/** The outcome of a test, in words. */
export function TestResult({ result: { ok, model_count, message } }: { result: ProviderTest }) {
  const count = model_count === null ? '' : ` It lists ${model_count} models.`;
  return (
    <Text size="sm" c={ok ? undefined : 'var(--mantine-color-error)'} role="status">
      {ok ? `The key works.${count}` : message}
    </Text>
  );
}
