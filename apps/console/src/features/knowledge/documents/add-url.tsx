import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface AddProps {
  opened: boolean;
  onClose: () => void;
  onAdded: () => void;
}

export function AddUrl(props: AddProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Add a web page">
      <UrlForm {...props} />
    </Modal>
  );
}

function UrlForm({ onClose, onAdded }: AddProps) {
  const { client } = useScope();
  const [url, setUrl] = useState('');
  const add = useMutation({
    mutationFn: () => client.knowledge.create({ url }),
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
        label="Address"
        description="Of a page or a file, at a public address"
        type="url"
        placeholder="https://"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        data-autofocus
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={add.isPending} disabled={url.trim() === ''}>
          Add
        </Button>
      </Group>
    </form>
  );
}
