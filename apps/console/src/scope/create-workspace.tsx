import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../account/account-gate.tsx';
import { Dialog } from '../components/dialog.tsx';
import { DialogForm } from '../components/dialog-form.tsx';
import { notifyError } from '../data/notify.ts';
import { workspacesQuery } from './workspaces.ts';

interface CreateWorkspaceProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function CreateWorkspace({ opened, onClose, onCreated }: CreateWorkspaceProps) {
  const { client } = useAccount();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => client.workspaces.create(name),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries(workspacesQuery(client));
      setName('');
      onClose();
      onCreated(id);
    },
    onError: notifyError,
  });
  return (
    <Dialog opened={opened} onClose={onClose} title="New workspace">
      <DialogForm
        submit="Create"
        onSubmit={() => create.mutate()}
        onCancel={onClose}
        isPending={create.isPending}
        isIncomplete={name.trim() === ''}
      >
        <TextInput
          label="Name"
          description="Its members share knowledge, archive, files and agents."
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
