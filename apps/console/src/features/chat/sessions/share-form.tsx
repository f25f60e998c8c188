import { Alert, Anchor, Button, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { Secret } from '../../../components/secret.tsx';
import { ShareList } from '../../../components/share-list.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { basePath } from '../../../page-config.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export interface ShareFormProps {
  onClose: () => void;
  sessionId: string;
}

const EXPIRY_OPTIONS = [
  { value: '1', label: 'In a day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '', label: 'Never' },
];
const DAY_MS = 86_400_000;

/** Loaded when the dialog is opened, which starts over each time. */
export default function ShareForm({ onClose, sessionId }: ShareFormProps) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [days, setDays] = useState('');
  const create = useMutation({
    mutationFn: () => {
      const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      return client.sessions.share(sessionId, { expires_at });
    },
    onError: () => undefined, // shown in the form
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'shares'] }),
  });
  if (create.data) {
    // The server may not know the address that this browser uses.
    const url = `${location.origin}${basePath}/share/${create.data.token}`;
    return (
      <Stack>
        <Alert color="yellow" title="Copy the link now">
          It is shown only once. Anyone who has it can read the conversation.
        </Alert>
        <Secret value={url} />
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          Open the page
        </Anchor>
        <Button onClick={onClose}>Done</Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <DialogForm
        submitLabel="Create link"
        onSubmit={() => create.mutate()}
        onCancel={onClose}
        isPending={create.isPending}
        isIncomplete={false}
        error={create.error}
      >
        <Text size="sm">
          Anyone with the link can read this conversation as it is now, with its images and the quotes of its sources,
          without signing in. Later messages and edits are not shown. Documents and tools stay private.
        </Text>
        <Select
          label="Link expires"
          data={EXPIRY_OPTIONS}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
        />
      </DialogForm>
      <ShareList sessionId={sessionId} empty={<Dimmed size="xs">There are no links to this conversation.</Dimmed>} />
    </Stack>
  );
}
