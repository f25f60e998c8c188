import { Button, Group, Modal, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface AddProps {
  opened: boolean;
  onClose: () => void;
  onAdded: () => void;
}

export function AddText(props: AddProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Add a text" size="lg">
      <TextForm {...props} />
    </Modal>
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
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
        mt="sm"
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={add.isPending} disabled={content.trim() === ''}>
          Add
        </Button>
      </Group>
    </form>
  );
}
