import { hasEnded, type Message } from '@chorus/client';
import { memo, useState } from 'react';
import { useRole } from '../../../scope/use-role.ts';
import { AttachmentList } from './attachment-list.tsx';
import { EndedAnswer } from './ended-answer.tsx';
import { LiveAnswer } from './live-answer.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import classes from './message-view.module.css';
import { UserBubble } from './user-bubble.tsx';

interface MessageViewProps {
  message: Message;
  /** Whether an answer of the conversation is being written: nothing can be changed meanwhile. */
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
    <article className={classes.message} aria-label={isUser ? 'You' : 'Answer'}>
      {isEditing ? (
        <MessageEditor message={message} onClose={() => setIsEditing(false)} onRegenerate={onRegenerate} />
      ) : isUser ? (
        <UserBubble text={message.content}>
          <AttachmentList ids={message.attachments} />
        </UserBubble>
      ) : (
        <EndedAnswer message={message} onRegenerate={isAnswering || !isEditor ? undefined : onRegenerate} />
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
