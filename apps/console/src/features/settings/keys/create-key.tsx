import type { BodyOf } from '@chorus/client';
import { Alert, Button, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { Secret } from '../../../components/secret.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useScope } from '../../../scope/scope-context.tsx';

type Permission = NonNullable<BodyOf<'POST /api-keys'>['permissions']>[number];

const permissions: readonly { value: Permission; label: MessageKey; description: MessageKey }[] = [
  { value: 'read', label: 'settings.read', description: 'settings.readHint' },
  { value: 'write', label: 'settings.write', description: 'settings.writeHint' },
  { value: 'run', label: 'settings.run', description: 'settings.runHint' },
  { value: 'manage', label: 'settings.manage', description: 'settings.manageHint' },
];
const operatorPermission = {
  value: 'operator',
  label: 'settings.operateThePlatform',
  description: 'settings.operateHint',
} as const;

/** Days until keys expire. */
const EXPIRY_DAYS = [1, 30, 365];
/** Returns the name of a permission. */
export function permissionLabel(permission: string): string {
  const known = [...permissions, operatorPermission].find(({ value }) => value === permission);
  return known === undefined ? permission : t(known.label);
}

const DAY_MS = 86_400_000;

interface CreateKeyProps {
  opened: boolean;
  onClose: () => void;
  onCreated: () => void;
}

export function CreateKey(props: CreateKeyProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('settings.newApiKey')} closeOnClickOutside={false}>
      <CreateForm {...props} />
    </Dialog>
  );
}

function CreateForm({ onClose, onCreated }: CreateKeyProps) {
  const { client, scope } = useScope();
  const { user } = useAccount();
  const [name, setName] = useState('');
  const [selected, setSelected] = useState<string[]>(['read', 'write', 'run']);
  const [days, setDays] = useState('');
  const [rate, setRate] = useState<number | null>(null);
  const [isLimited, setIsLimited] = useState(scope.type === 'workspace');
  const isRestricted = isLimited && scope.type === 'workspace';
  const available = user.operator && !isRestricted ? [...permissions, operatorPermission] : permissions;
  const { form, errors, data } = useFormMutation({
    send: () =>
      client.keys.create({
        name,
        permissions: selected.filter((one) => available.some(({ value }) => value === one)) as Permission[],
        ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        ...(rate !== null && { rate_limit: rate }),
        ...(isRestricted && { workspace_id: scope.workspaceId }),
      }),
    fields: ['name', 'rate_limit', 'expires_at'],
    onSuccess: onCreated,
  });
  if (data)
    return (
      <Stack>
        <Alert color="yellow" title={t('settings.copyKeyNow')}>
          {t('settings.shownOnce')}
        </Alert>
        <Secret value={data.secret} />
        <Button onClick={onClose}>{t('common.done')}</Button>
      </Stack>
    );
  return (
    <DialogForm
      {...form}
      submitLabel={t('settings.createKey')}
      onCancel={onClose}
      isIncomplete={name.trim() === '' || selected.length === 0}
    >
      <TextInput
        label={t('common.name')}
        error={errors.name}
        description={t('settings.keyNameHint')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <Checkbox.Group label={t('settings.permissions')} value={selected} onChange={setSelected}>
        <Stack gap="xs" mt="xs">
          {available.map(({ value, label, description }) => (
            <Checkbox key={value} value={value} label={t(label)} description={t(description)} />
          ))}
        </Stack>
      </Checkbox.Group>
      {scope.type === 'workspace' && (
        <Checkbox
          label={t('settings.limitToWorkspace')}
          description={t('settings.limitToWorkspaceHint')}
          checked={isLimited}
          onChange={(event) => setIsLimited(event.currentTarget.checked)}
        />
      )}
      <Group grow>
        <Select
          label={t('settings.expiresIn')}
          error={errors.expires_at}
          data={[
            { value: '', label: t('settings.never') },
            ...EXPIRY_DAYS.map((count) => ({ value: `${count}`, label: t('components.dayCount', { count }) })),
          ]}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
        />
        <NumberInput
          label={t('settings.requestsPerMinute')}
          error={errors.rate_limit}
          placeholder={t('components.noLimit')}
          value={rate ?? ''}
          onChange={(value) => setRate(typeof value === 'number' ? value : null)}
          min={1}
          allowDecimal={false}
        />
      </Group>
    </DialogForm>
  );
}
