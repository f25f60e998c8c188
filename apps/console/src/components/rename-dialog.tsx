import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from './dialog.tsx';
import { DialogForm } from './dialog-form.tsx';

interface RenameDialogProps {
  opened: boolean;
  onClose: () => void;
  name: string;
  onRename: (name: string) => void;
}

export function RenameDialog({ opened, onClose, name, onRename }: RenameDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Rename">
      <RenameForm
        name={name}
        onCancel={onClose}
        onRename={(changed) => {
          onClose();
          onRename(changed);
        }}
      />
    </Dialog>
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
  return (
    <DialogForm
      submit="Rename"
      onSubmit={() => onRename(text.trim())}
      onCancel={onCancel}
      isIncomplete={text.trim() === ''}
    >
      <TextInput
        label="Name"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={200}
        data-autofocus
        required
      />
    </DialogForm>
  );
}
