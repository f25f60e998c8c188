import { CheckIcon, ChevronUpDownIcon, PlusIcon, UserIcon, UsersIcon } from '@heroicons/react/24/outline';
import { Button, Menu, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccount } from '../account/account-gate.tsx';
import { Dialog } from '../components/dialog.tsx';
import { DialogForm } from '../components/form.tsx';
import { useFormMutation } from '../data/use-form-mutation.ts';
import { t } from '../i18n/i18n.ts';
import { useScope } from './scope-context.tsx';
import { workspacesQuery } from './use-role.ts';

export function ScopeSwitcher({ onSwitch }: { onSwitch: () => void }) {
  const { client } = useAccount();
  const { scope, switchTo } = useScope();
  const [location, navigate] = useLocation();
  const { data: workspaces = [] } = useQuery(workspacesQuery(client));
  const [isCreating, creating] = useDisclosure();
  const current = scope.type === 'workspace' ? workspaces.find(({ id }) => id === scope.workspaceId) : undefined;
  const name = scope.type === 'personal' ? t('common.personal') : (current?.name ?? t('common.workspace'));

  const select = (next: typeof scope) => {
    switchTo(next);
    // The open record belongs to the previous scope.
    navigate(`/${location.split('/')[1] ?? ''}`);
    onSwitch();
  };

  return (
    <>
      <Menu position="bottom-start" width="target">
        <Menu.Target>
          <Button
            variant="default"
            fullWidth
            justify="flex-start"
            styles={{ label: { flex: 1 } }}
            leftSection={scope.type === 'personal' ? <UserIcon /> : <UsersIcon />}
            rightSection={<ChevronUpDownIcon />}
            aria-label={t('common.scopeIs', { name })}
          >
            {name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<UserIcon />}
            rightSection={scope.type === 'personal' && <CheckIcon />}
            onClick={() => select({ type: 'personal' })}
          >
            {t('common.personal')}
          </Menu.Item>
          {workspaces.length > 0 && <Menu.Label>{t('common.workspaces')}</Menu.Label>}
          {workspaces.map(({ id, name: label }) => (
            <Menu.Item
              key={id}
              leftSection={<UsersIcon />}
              rightSection={current?.id === id && <CheckIcon />}
              onClick={() => select({ type: 'workspace', workspaceId: id })}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<PlusIcon />} onClick={creating.open}>
            {t('common.newWorkspace')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <CreateWorkspace
        opened={isCreating}
        onClose={creating.close}
        onCreated={(id) => select({ type: 'workspace', workspaceId: id })}
      />
    </>
  );
}

interface CreateWorkspaceProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}

function CreateWorkspace({ opened, onClose, onCreated }: CreateWorkspaceProps) {
  const { client } = useAccount();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const { form, errors } = useFormMutation({
    send: () => client.workspaces.create(name),
    fields: ['name'],
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries(workspacesQuery(client));
      setName('');
      onClose();
      onCreated(id);
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title={t('common.newWorkspace')}>
      <DialogForm {...form} submitLabel={t('common.create')} onCancel={onClose} isIncomplete={name.trim() === ''}>
        <TextInput
          label={t('common.name')}
          error={errors.name}
          description={t('common.workspaceHint')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          required
          data-autofocus
        />
      </DialogForm>
    </Dialog>
  );
}
