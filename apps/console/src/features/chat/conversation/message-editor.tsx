import type { Message } from '@chorus/client';
import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMessageChanges } from './use-message-changes.ts';

interface MessageEditorProps {
  message: Message;
  onClose: () => void;
  onRegenerate: (messageId: string) => void;
}

export function MessageEditor({ message, onClose, onRegenerate }: MessageEditorProps) {
  const [text, setText] = useState(message.content);
  const { edit } = useMessageChanges(message);
  const isSame = text === message.content;
  const save = async () => {
    if (!isSame) await edit.mutateAsync(text);
    onClose();
  };
  const answerAgain = async () => {
    await save();
    onRegenerate(message.id);
  };
  return (
    <div>
      <Textarea
        aria-label="Message"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
        }}
        autosize
        minRows={2}
        maxRows={20}
        autoFocus
      />
      <Group justify="flex-end" mt="xs" gap="xs">
        <Button size="xs" variant="subtle" color="gray" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={save}
          loading={edit.isPending}
          disabled={text.trim() === '' || isSame}
        >
          Save
        </Button>
        {message.role === 'user' && (
          <Button size="xs" onClick={answerAgain} loading={edit.isPending} disabled={text.trim() === ''}>
            Save and answer again
          </Button>
        )}
      </Group>
    </div>
  );
}
