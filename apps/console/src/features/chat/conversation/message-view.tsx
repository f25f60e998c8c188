import { hasEnded, type Message } from '@chorus/client';
import { memo, useState } from 'react';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { ToolResult } from '../../../components/thoughts.tsx';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useRole } from '../../../scope/use-role.ts';
import { FinishedAnswer, LiveAnswer } from './answer.tsx';
import { AnswerVersions } from './answer-versions.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import classes from './message-view.module.css';
import { UserBubble } from './user-bubble.tsx';

const LABELS = {
  user: 'components.you',
  assistant: 'conversation.answer',
  tool: 'components.toolResult',
} as const satisfies Record<Message['role'], MessageKey>;

interface MessageViewProps {
  message: Message;
  /** Whether it answers an earlier text of its question. */
  isForOtherText: boolean;
  isLast: boolean;
  /** Whether an answer is being written, which blocks changes. */
  isAnswering: boolean;
  onEnd: () => void;
  onRegenerate: (messageId: string) => void;
}

export const MessageView = memo(
  ({ message, isForOtherText, isLast, isAnswering, onEnd, onRegenerate }: MessageViewProps) => {
    const [isEditing, setIsEditing] = useState(false);
    const isEditor = useRole().isAtLeast('editor');
    const isUser = message.role === 'user';
    if (!hasEnded(message) && message.execution_id !== null)
      return (
        <article className={classes.message} aria-label={t('conversation.answer')} aria-busy>
          <LiveAnswer executionId={message.execution_id} status={message.status} onEnd={onEnd} />
        </article>
      );
    return (
      <article className={classes.message} aria-label={t(LABELS[message.role])}>
        {isEditing ? (
          <MessageEditor message={message} onClose={() => setIsEditing(false)} onRegenerate={onRegenerate} />
        ) : isUser ? (
          <UserBubble attachments={<AttachmentList ids={message.attachments} />}>
            <Markdown text={message.content} />
          </UserBubble>
        ) : message.role === 'tool' ? (
          <ToolResult text={message.content} />
        ) : (
          <FinishedAnswer
            key={message.id}
            message={message}
            onRegenerate={isAnswering || !isEditor ? undefined : onRegenerate}
          />
        )}
        {isForOtherText && <Dimmed>{t('conversation.thisAnswersADifferent')}</Dimmed>}
        {!isEditing && (
          <div className={classes.footer}>
            <AnswerVersions message={message} isDisabled={isAnswering || !isEditor} />
            <MessageActions
              message={message}
              // A question without an answer can be answered again.
              canRegenerate={message.role === 'assistant' || isLast}
              isDisabled={isAnswering}
              onEdit={() => setIsEditing(true)}
              onRegenerate={onRegenerate}
            />
          </div>
        )}
      </article>
    );
  },
);
