import { Alert, Anchor, Button, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { Secret } from '../../../components/secret.tsx';
import { ShareList } from '../../../components/share-list.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { basePath } from '../../../page-config.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export interface ShareFormProps {
  onClose: () => void;
  sessionId: string;
  /** The last message to share. Default: the last one. */
  messageId?: string;
}

/** Days until links expire. */
const EXPIRY_DAYS = [1, 7, 30];
const DAY_MS = 86_400_000;

/** Loaded when the dialog opens. Each opening starts over. */
export default function ShareForm({ onClose, sessionId, messageId }: ShareFormProps) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [days, setDays] = useState('');
  const create = useMutation({
    mutationFn: () => {
      const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      return client.sessions.share(sessionId, {
        expires_at,
        ...(messageId !== undefined && { message_id: messageId }),
      });
    },
    onError: () => undefined, // shown in the form
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'shares'] }),
  });
  if (create.data) {
    // The server may not know the address that this browser uses.
    const url = `${location.origin}${basePath}/share/${create.data.token}`;
    return (
      <Stack>
        <Alert color="yellow" title={t('conversation.copyLinkNow')}>
          {t('conversation.linkShownOnce')}
        </Alert>
        <Secret value={url} />
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          {t('conversation.openThePage')}
        </Anchor>
        <Button onClick={onClose}>{t('common.done')}</Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <DialogForm
        submitLabel={t('conversation.createLink')}
        onSubmit={() => create.mutate()}
        onCancel={onClose}
        isPending={create.isPending}
        isIncomplete={false}
        error={create.error}
      >
        <Text size="sm">{t('conversation.shareHint')}</Text>
        {messageId !== undefined && <Text size="sm">{t('modes.shareUpToHint')}</Text>}
        <Select
          label={t('conversation.linkExpires')}
          data={[
            ...EXPIRY_DAYS.map((count) => ({ value: `${count}`, label: t('conversation.inDays', { count }) })),
            { value: '', label: t('conversation.never') },
          ]}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
        />
      </DialogForm>
      <ShareList sessionId={sessionId} empty={<Dimmed size="xs">{t('conversation.noLinks')}</Dimmed>} />
    </Stack>
  );
}
