import { Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useFolders } from './use-folders.ts';

export interface MoveFormProps {
  onClose: () => void;
  /** The folder that is selected first; null: none. */
  current: string | null;
  onMove: (folderId: string | null) => void;
}

const NONE = 'none';
const NEW = 'new';

/** Loaded when the dialog opens. Each opening starts over. */
export default function MoveForm({ onClose, current, onMove }: MoveFormProps) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const folders = useFolders();
  const [chosen, setChosen] = useState(current ?? (folders.length === 0 ? NEW : (folders[0]?.id ?? NONE)));
  const [name, setName] = useState('');
  const move = useMutation({
    mutationFn: async () => {
      if (chosen === NONE) return null;
      if (chosen !== NEW) return chosen;
      const { id } = await client.folders.create({ name: name.trim() });
      await queryClient.invalidateQueries({ queryKey: [scopeKey, 'folders'] });
      return id;
    },
    onSuccess: (folderId) => {
      onClose();
      onMove(folderId);
    },
    onError: () => undefined, // shown in the form
  });
  return (
    <DialogForm
      submitLabel={t('conversation.move')}
      onSubmit={() => move.mutate()}
      onCancel={onClose}
      isPending={move.isPending}
      isIncomplete={chosen === NEW && name.trim() === ''}
      error={move.error}
    >
      <Select
        label={t('conversation.folder')}
        data={[
          { value: NONE, label: t('conversation.noFolder') },
          ...folders.map(({ id, name: label }) => ({ value: id, label })),
          { value: NEW, label: t('conversation.newFolder') },
        ]}
        value={chosen}
        onChange={(value) => setChosen(value ?? NONE)}
        allowDeselect={false}
        // Loaded lazily, so the focus trap misses it.
        autoFocus={chosen !== NEW}
      />
      {chosen === NEW && (
        <TextInput
          label={t('common.name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          autoFocus
          required
        />
      )}
    </DialogForm>
  );
}
