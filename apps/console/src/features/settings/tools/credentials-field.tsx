import type { BodyOf } from '@chorus/client';
import { Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';

type Auth = NonNullable<BodyOf<'POST /tool-apis'>['auth']>;

/** The fields of a form. Each type uses those that it needs. */
export interface Credentials {
  type: Auth['type'];
  /** Name of the header or parameter, or of the user. */
  name: string;
  secret: string;
}

export const NO_CREDENTIALS: Credentials = { type: 'none', name: '', secret: '' };

const TYPES: { value: Auth['type']; label: MessageKey; name?: MessageKey; secret?: MessageKey }[] = [
  { value: 'none', label: 'settings.none' },
  { value: 'bearer', label: 'settings.bearerToken', secret: 'settings.token' },
  { value: 'header', label: 'settings.header', name: 'settings.headerName', secret: 'components.value' },
  { value: 'query', label: 'settings.queryParameter', name: 'settings.parameterName', secret: 'components.value' },
  { value: 'basic', label: 'settings.userAndPassword', name: 'settings.userName', secret: 'components.password' },
];

const fieldsOf = (type: Auth['type']) => TYPES.find(({ value }) => value === type);

export function hasAll({ type, name, secret }: Credentials): boolean {
  const fields = fieldsOf(type);
  return (fields?.name === undefined || name.trim() !== '') && (fields?.secret === undefined || secret !== '');
}

export function toAuth({ type, name, secret }: Credentials): Auth {
  switch (type) {
    case 'none':
      return { type };
    case 'bearer':
      return { type, token: secret.trim() };
    case 'basic':
      return { type, username: name, password: secret };
    default:
      return { type, name: name.trim(), value: secret.trim() };
  }
}

interface CredentialsFieldProps {
  value: Credentials;
  onChange: (credentials: Credentials) => void;
}

export function CredentialsField({ value, onChange }: CredentialsFieldProps) {
  const fields = fieldsOf(value.type);
  return (
    <Stack gap="xs">
      <Select
        label={t('settings.credentials')}
        description={t('settings.credentialsHint')}
        data={TYPES.map(({ value: type, label }) => ({ value: type, label: t(label) }))}
        value={value.type}
        onChange={(type) => onChange({ ...NO_CREDENTIALS, type: type ?? 'none' })}
        allowDeselect={false}
      />
      {fields?.secret !== undefined && (
        <Group grow align="flex-start">
          {fields.name !== undefined && (
            <TextInput
              label={t(fields.name)}
              autoComplete="off"
              value={value.name}
              onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
              maxLength={1_000}
              required
            />
          )}
          <PasswordInput
            label={t(fields.secret)}
            autoComplete="off"
            value={value.secret}
            onChange={(event) => onChange({ ...value, secret: event.currentTarget.value })}
            maxLength={8_000}
            required
          />
        </Group>
      )}
    </Stack>
  );
}
