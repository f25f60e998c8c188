import type { Message } from '@chorus/client';
import { ArrowUturnLeftIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../../components/dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useMessageChanges } from './use-message-changes.ts';

interface MessageHistoryProps {
  message: Message;
  opened: boolean;
  onClose: () => void;
  isDisabled: boolean;
}

const ACTION_LABELS = {
  created: 'conversation.created',
  edited: 'conversation.edited',
  undone: 'conversation.undone',
  restored: 'conversation.restored',
  restarted: 'conversation.restarted',
  interrupted: 'conversation.cut',
} as const;

export function MessageHistory({ message, opened, onClose, isDisabled }: MessageHistoryProps) {
  const { client, scopeKey } = useScope();
  const { undo } = useMessageChanges(message);
  const query = useQuery({
    queryKey: [scopeKey, 'history', message.id],
    queryFn: ({ signal }) => Array.fromAsync(client.messages.history(message.id, { signal })),
    enabled: opened,
  });
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('conversation.messageHistory')}
      size="lg"
      scrollAreaComponent={ScrollArea.Autosize}
    >
      <QueryView query={query}>
        {(revisions) => (
          <Stack>
            {revisions.toReversed().map(({ revision, action, content, created_at }, index) => (
              <div key={revision}>
                <Group gap="xs" mb={4}>
                  <Badge variant="light">{t(ACTION_LABELS[action])}</Badge>
                  <Dimmed size="xs">
                    <Time at={created_at} />
                  </Dimmed>
                  {index === 0 && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      leftSection={<ArrowUturnLeftIcon className="mirrored" />}
                      onClick={() => undo.mutate()}
                      loading={undo.isPending}
                      disabled={isDisabled || revisions.length < 2}
                    >
                      {t('conversation.undo')}
                    </Button>
                  )}
                </Group>
                <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {content}
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </QueryView>
    </Dialog>
  );
}
