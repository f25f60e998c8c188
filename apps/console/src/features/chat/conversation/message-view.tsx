import { hasEnded, type Message } from '@chorus/client';
import { PaperClipIcon } from '@heroicons/react/24/outline';
import { Anchor, Group, Image } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { ToolResult } from '../../../components/thoughts.tsx';
import { sameOriginUrl } from '../../../data/files.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { FinishedAnswer, LiveAnswer } from './answer.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import classes from './message-view.module.css';
import { UserBubble } from './user-bubble.tsx';

const LABELS = { user: 'You', assistant: 'Answer', tool: 'Tool result' } as const satisfies Record<
  Message['role'],
  string
>;

interface MessageViewProps {
  message: Message;
  /** Whether an answer is being written: nothing can be changed meanwhile. */
  isAnswering: boolean;
  onEnd: () => void;
  onRegenerate: (messageId: string) => void;
}

export const MessageView = memo(({ message, isAnswering, onEnd, onRegenerate }: MessageViewProps) => {
  const [isEditing, setIsEditing] = useState(false);
  const isEditor = useRole().isAtLeast('editor');
  const isUser = message.role === 'user';
  if (!hasEnded(message) && message.execution_id !== null)
    return (
      <article className={classes.message} aria-label="Answer" aria-busy>
        <LiveAnswer executionId={message.execution_id} onEnd={onEnd} />
      </article>
    );
  return (
    <article className={classes.message} aria-label={LABELS[message.role]}>
      {isEditing ? (
        <MessageEditor message={message} onClose={() => setIsEditing(false)} onRegenerate={onRegenerate} />
      ) : isUser ? (
        <UserBubble text={message.content}>
          <AttachmentList ids={message.attachments} />
        </UserBubble>
      ) : message.role === 'tool' ? (
        <ToolResult text={message.content} />
      ) : (
        <FinishedAnswer message={message} onRegenerate={isAnswering || !isEditor ? undefined : onRegenerate} />
      )}
      {!isEditing && (
        <MessageActions
          message={message}
          isDisabled={isAnswering}
          onEdit={() => setIsEditing(true)}
          onRegenerate={onRegenerate}
        />
      )}
    </article>
  );
});

function AttachmentList({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <Group gap="xs" justify="flex-end">
      {ids.map((id) => (
        <Attachment key={id} id={id} />
      ))}
    </Group>
  );
}

function Attachment({ id }: { id: string }) {
  const { client, scopeKey } = useScope();
  const { data: asset, isError } = useQuery({
    queryKey: [scopeKey, 'assets', 'one', id],
    queryFn: ({ signal }) => client.assets.get(id, { signal }),
  });
  if (isError) return <span>Deleted file</span>;
  if (!asset) return null;
  return (
    <Anchor href={sameOriginUrl(asset.url)} target="_blank" rel="noreferrer">
      {asset.thumbnail_url === null ? (
        <Group gap={4}>
          <PaperClipIcon />
          {asset.filename ?? 'File'}
        </Group>
      ) : (
        <Image
          src={sameOriginUrl(asset.thumbnail_url)}
          alt={asset.filename ?? 'Attached image'}
          h={120}
          w="auto"
          radius="md"
        />
      )}
    </Anchor>
  );
}
