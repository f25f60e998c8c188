import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Text } from '@mantine/core';
import { t } from '../i18n/i18n.ts';

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="gray" icon={<ExclamationTriangleIcon />} title={t('components.warnings')} mt="sm">
      {warnings.map((warning) => (
        <Text key={warning} size="sm">
          {warning}
        </Text>
      ))}
    </Alert>
  );
}
