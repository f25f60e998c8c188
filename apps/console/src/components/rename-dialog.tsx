import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';

interface RenameDialogProps {
  opened: boolean;
  onClose: () => void;
  name: string;
  onRename: (name: string) => void;
}

export function RenameDialog({ opened, onClose, name, onRename }: RenameDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rename">
      <RenameForm
        name={name}
        onCancel={onClose}
        onRename={(changed) => {
          onClose();
          onRename(changed);
        }}
      />
    </Modal>
  );
}

/** Begins with the name as it is whenever the dialog opens. */
function RenameForm({
  name,
  onCancel,
  onRename,
}: {
  name: string;
  onCancel: () => void;
  onRename: (name: string) => void;
}) {
  const [text, setText] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRename(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={200}
        data-autofocus
        required
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={text.trim() === ''}>
          Rename
        </Button>
      </Group>
    </form>
  );
}
