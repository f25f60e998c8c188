import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/dialog-form.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface AddProps {
  opened: boolean;
  onClose: () => void;
  onAdded: () => void;
}

export function AddText(props: AddProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Add a text" size="lg" closeOnClickOutside={false}>
      <TextForm {...props} />
    </Dialog>
  );
}

function TextForm({ onClose, onAdded }: AddProps) {
  const { client } = useScope();
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const add = useMutation({
    mutationFn: () => client.knowledge.create({ content, ...(title.trim() !== '' && { title }) }),
    onSuccess: () => {
      onAdded();
      onClose();
    },
    onError: notifyError,
  });
  return (
    <DialogForm
      submit="Add"
      onSubmit={() => add.mutate()}
      onCancel={onClose}
      isPending={add.isPending}
      isIncomplete={content.trim() === ''}
    >
      <TextInput
        label="Title"
        description="Empty: its beginning"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        maxLength={300}
        data-autofocus
      />
      <Textarea
        label="Text"
        description="Markdown"
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
        minRows={8}
        maxRows={18}
        autosize
        required
      />
    </DialogForm>
  );
}
