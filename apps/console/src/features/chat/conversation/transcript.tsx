import type { Message } from '@chorus/client';
import { ArrowDownIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Loader, VisuallyHidden } from '@mantine/core';
import { useEffect } from 'react';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { t } from '../../../i18n/i18n.ts';
import { MessageView } from './message-view.tsx';
import classes from './transcript.module.css';
import { useLoadEarlier, useStickToEnd } from './transcript-scroll.ts';
import { UserBubble } from './user-bubble.tsx';

interface TranscriptProps {
  /** The newest messages, oldest first. */
  messages: readonly Message[];
  hasEarlier: boolean;
  onEarlier: () => void;
  /** Text that was sent but is not stored yet. */
  pending: string | undefined;
  isAnswering: boolean;
  /** Called when an answer has ended, to load the complete message. */
  onEnd: () => void;
  onRegenerate: (messageId: string) => void;
}

export function Transcript(props: TranscriptProps) {
  const { messages, hasEarlier, onEarlier, pending, isAnswering, onEnd, onRegenerate } = props;
  const { scroller, content, isAtEnd, toEnd } = useStickToEnd();
  const marker = useLoadEarlier({ scroller, content, firstId: messages[0]?.id, hasEarlier, onEarlier });
  useEffect(() => {
    if (pending !== undefined) toEnd();
  }, [pending, toEnd]);
  return (
    <div className={classes.place}>
      <div
        ref={scroller}
        className={classes.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-label={t('conversation.messages')}
        aria-live="off"
      >
        <div ref={marker} className={classes.earlier}>
          {hasEarlier && <Loader size="xs" type="dots" aria-label={t('conversation.loadingEarlierMessages')} />}
        </div>
        <div ref={content} className={classes.content}>
          {messages.map((message, index) => (
            <MessageView
              key={keyOf(message)}
              message={message}
              isForOtherText={isForOtherText(message, messages[index - 1])}
              isLast={index === messages.length - 1}
              isAnswering={isAnswering}
              onEnd={onEnd}
              onRegenerate={onRegenerate}
            />
          ))}
          {pending !== undefined && (
            <UserBubble>
              <Markdown text={pending} />
            </UserBubble>
          )}
        </div>
      </div>
      <VisuallyHidden role="status">
        {isAnswering ? t('conversation.answerBegun') : t('conversation.answerComplete')}
      </VisuallyHidden>
      {!isAtEnd && (
        <ActionIcon
          className={classes.toEnd}
          radius="xl"
          size="lg"
          variant="default"
          onClick={toEnd}
          aria-label={t('conversation.scrollToEnd')}
        >
          <ArrowDownIcon />
        </ActionIcon>
      )}
    </div>
  );
}

/** Versions of an answer share a key, so that the focus stays when another one is shown. */
function keyOf({ id, version }: Message): string {
  return version === null ? id : `${version.question_id}:answer`;
}

/** Returns whether an answer belongs to an earlier text of its question. */
function isForOtherText({ role, question_revision: answered }: Message, question: Message | undefined): boolean {
  if (role !== 'assistant' || answered === null || question === undefined || question.role === 'assistant')
    return false;
  return answered !== question.effective_revision;
}
