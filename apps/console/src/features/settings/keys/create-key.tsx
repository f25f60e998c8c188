import type { BodyOf } from '@chorus/client';
import { Alert, Button, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { Secret } from '../../../components/secret.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { useScope } from '../../../scope/scope-context.tsx';

type Permission = NonNullable<BodyOf<'POST /api-keys'>['permissions']>[number];

const permissions: readonly { value: Permission; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'Get and list' },
  { value: 'write', label: 'Write', description: 'Create, edit, delete' },
  { value: 'run', label: 'Run', description: 'Run models, cancel, retry' },
  { value: 'manage', label: 'Manage', description: 'Members, invitations, and the audit log' },
];
const operatorPermission = {
  value: 'operator',
  label: 'Operate the platform',
  description: 'See all users and queues, invite new users',
} as const;

const EXPIRY_OPTIONS = [
  { value: '', label: 'Never' },
  { value: '1', label: 'A day' },
  { value: '30', label: '30 days' },
  { value: '365', label: 'A year' },
];
const DAY_MS = 86_400_000;

interface CreateKeyProps {
  opened: boolean;
  onClose: () => void;
  onCreated: () => void;
}

export function CreateKey(props: CreateKeyProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="New API key" closeOnClickOutside={false}>
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
  const create = useMutation({
    mutationFn: () =>
      client.keys.create({
        name,
        permissions: selected.filter((one) => available.some(({ value }) => value === one)) as Permission[],
        ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        ...(rate !== null && { rate_limit: rate }),
        ...(isRestricted && { workspace_id: scope.workspaceId }),
      }),
    onError: undefined, // shown in the form
    onSuccess: onCreated,
  });
  const errors = formErrors(create.error, ['name', 'rate_limit', 'expires_at']);
  if (create.data)
    return (
      <Stack>
        <Alert color="yellow" title="Copy your API key now">
          It is shown only once.
        </Alert>
        <Secret value={create.data.secret} />
        <Button onClick={onClose}>Done</Button>
      </Stack>
    );
  return (
    <DialogForm
      submitLabel="Create key"
      onSubmit={() => create.mutate()}
      onCancel={onClose}
      isPending={create.isPending}
      isIncomplete={name.trim() === '' || selected.length === 0}
      error={errors.rest}
    >
      <TextInput
        label="Name"
        error={errors.at.name}
        description="The program that uses it"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <Checkbox.Group label="Permissions" value={selected} onChange={setSelected}>
        <Stack gap="xs" mt="xs">
          {available.map(({ value, label, description }) => (
            <Checkbox key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      {scope.type === 'workspace' && (
        <Checkbox
          label="Limit to this workspace"
          description="The key has no access outside of this workspace."
          checked={isLimited}
          onChange={(event) => setIsLimited(event.currentTarget.checked)}
        />
      )}
      <Group grow>
        <Select
          label="Expires in"
          error={errors.at.expires_at}
          data={EXPIRY_OPTIONS}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
        />
        <NumberInput
          label="Requests per minute"
          error={errors.at.rate_limit}
          placeholder="No limit"
          value={rate ?? ''}
          onChange={(value) => setRate(typeof value === 'number' ? value : null)}
          min={1}
          allowDecimal={false}
        />
      </Group>
    </DialogForm>
  );
}
