import { TextInput } from '@mantine/core';
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

export function AddUrl(props: AddProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Add a web page">
      <UrlForm {...props} />
    </Dialog>
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
  return (
    <DialogForm
      submit="Add"
      onSubmit={() => add.mutate()}
      onCancel={onClose}
      isPending={add.isPending}
      isIncomplete={url.trim() === ''}
    >
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
    </DialogForm>
  );
}
