import { Button, Group, Input, Text } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';

interface StoredSecretsProps {
  label: string;
  description: string;
  error?: string | undefined;
  /** Shown instead of the secrets, which are never returned. Empty: none are stored. */
  names: readonly string[];
  replaceLabel: string;
  onReplace: () => void;
}

/** Shows which secrets are stored. They can only be replaced. */
export function StoredSecrets({ label, description, error, names, replaceLabel, onReplace }: StoredSecretsProps) {
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <Group justify="space-between" mt={6} wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {names.length === 0 ? t('settings.none') : names.join(', ')}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onReplace} flex="none">
          {replaceLabel}
        </Button>
      </Group>
    </Input.Wrapper>
  );
}
