import type { Message } from '@chorus/client';
import { ArrowDownIcon } from '@heroicons/react/24/outline';
import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { useEffect } from 'react';
import { MessageView } from './message-view.tsx';
import classes from './transcript.module.css';
import { useStickToEnd } from './use-stick-to-end.ts';
import { UserBubble } from './user-bubble.tsx';

interface TranscriptProps {
  messages: readonly Message[];
  /** What was sent and is not among them yet. */
  sent: string | undefined;
  isAnswering: boolean;
  /** An answer has ended: the message has more to it now. */
  onEnd: () => void;
  onRegenerate: (messageId: string) => void;
}

export function Transcript({ messages, sent, isAnswering, onEnd, onRegenerate }: TranscriptProps) {
  const { scroller, content, isAtEnd, toEnd } = useStickToEnd();
  // Who has said something wants to see what comes of it.
  useEffect(() => {
    if (sent !== undefined) toEnd();
  }, [sent, toEnd]);
  return (
    <div className={classes.place}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="log" aria-label="Messages" aria-live="off">
        <div ref={content} className={classes.content}>
          {messages.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              isAnswering={isAnswering}
              onEnd={onEnd}
              onRegenerate={onRegenerate}
            />
          ))}
          {sent !== undefined && <UserBubble text={sent} />}
        </div>
      </div>
      <VisuallyHidden role="status">
        {isAnswering ? 'An answer is being written.' : 'The answer has ended.'}
      </VisuallyHidden>
      {!isAtEnd && (
        <ActionIcon
          className={classes.toEnd}
          radius="xl"
          size="lg"
          variant="default"
          onClick={toEnd}
          aria-label="To the end"
        >
          <ArrowDownIcon />
        </ActionIcon>
      )}
    </div>
  );
}
