import { hasEnded, type Message } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useLiveEvent } from '../../../data/live-events.tsx';
import { refresh } from '../../../data/refresh.ts';
import { listKey, useCursorList } from '../../../data/use-cursor-list.ts';
import { useScope } from '../../../scope/scope-context.tsx';

const NAME = 'messages';

/** Under which what is said in a conversation is kept. */
export const messagesKey = (scopeKey: string, sessionId: string) => listKey(scopeKey, NAME, { sessionId });

/** What is said in a conversation, from its end as far back as one has looked, kept up with what is said elsewhere. */
export function useMessages(sessionId: string) {
  const { scopeKey } = useScope();
  const queryClient = useQueryClient();
  const list = useCursorList<Message>({
    name: NAME,
    filters: { sessionId },
    readPage: (client, query, options) => client.messages.list(sessionId, { ...query, order: 'desc' }, options),
  });
  const readAnew = useCallback(
    // All of it: an answer that is asked for again takes the place of what came behind it.
    () => refresh(queryClient, messagesKey(scopeKey, sessionId), { whole: true }),
    [queryClient, scopeKey, sessionId],
  );
  useLiveEvent((event) => {
    if ('session_id' in event && event.session_id === sessionId && event.type !== 'execution.progress') readAnew();
  });
  const messages = useMemo(() => list.items.toReversed(), [list.items]);
  return { ...list, messages, answering: answeringOf(messages), readAnew };
}

/** The answer that is being written; a conversation has one at most. */
function answeringOf(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'assistant' && !hasEnded(message));
}
