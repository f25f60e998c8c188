import type { Message } from '@chorus/client';
import { ArrowDownIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Loader, VisuallyHidden } from '@mantine/core';
import { useEffect } from 'react';
import { MessageView } from './message-view.tsx';
import classes from './transcript.module.css';
import { useEarlier } from './use-earlier.ts';
import { useStickToEnd } from './use-stick-to-end.ts';
import { UserBubble } from './user-bubble.tsx';

interface TranscriptProps {
  /** The newest of the conversation, in their order. */
  messages: readonly Message[];
  /** Whether there are some before them. */
  hasEarlier: boolean;
  onEarlier: () => void;
  /** What was sent and is not among them yet. */
  sent: string | undefined;
  isAnswering: boolean;
  /** An answer has ended: the message has more to it now. */
  onEnd: () => void;
  onRegenerate: (messageId: string) => void;
}

export function Transcript(props: TranscriptProps) {
  const { messages, hasEarlier, onEarlier, sent, isAnswering, onEnd, onRegenerate } = props;
  const { scroller, content, isAtEnd, toEnd } = useStickToEnd();
  const marker = useEarlier({ scroller, content, firstId: messages[0]?.id, hasEarlier, onEarlier });
  // Who has said something wants to see what comes of it.
  useEffect(() => {
    if (sent !== undefined) toEnd();
  }, [sent, toEnd]);
  return (
    <div className={classes.place}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="log" aria-label="Messages" aria-live="off">
        <div ref={marker} className={classes.earlier}>
          {hasEarlier && <Loader size="xs" type="dots" aria-label="Reading what was said earlier" />}
        </div>
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
