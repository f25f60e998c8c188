import type { Message } from '@chorus/client';
import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
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
  /** Keeps the editor open if saving fails, so that the user can try again. */
  const save = (then: () => void) => {
    const done = () => {
      onClose();
      then();
    };
    if (isSame) done();
    else edit.mutate(text, { onSuccess: done });
  };
  return (
    <div>
      <Textarea
        aria-label={t('conversation.message')}
        dir="auto"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isSame) onClose();
        }}
        autosize
        minRows={2}
        maxRows={20}
        autoFocus
      />
      <Group justify="flex-end" mt="xs" gap="xs">
        <Button size="xs" variant="subtle" color="gray" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => save(() => undefined)}
          loading={edit.isPending}
          disabled={text.trim() === '' || isSame}
        >
          {t('common.save')}
        </Button>
        {message.role === 'user' && (
          <Button
            size="xs"
            onClick={() => save(() => onRegenerate(message.id))}
            loading={edit.isPending}
            disabled={text.trim() === ''}
          >
            {t('conversation.saveAndRegenerate')}
          </Button>
        )}
      </Group>
    </div>
  );
}
