import { hasEnded, type Message } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useLiveEvent } from '../../../data/live-events.tsx';
import { refresh } from '../../../data/refresh.ts';
import { listKey, useCursorList } from '../../../data/use-cursor-list.ts';
import { useScope } from '../../../scope/scope-context.tsx';

const NAME = 'messages';

export const messagesKey = (scopeKey: string, sessionId: string) => listKey(scopeKey, NAME, { sessionId });

export function useMessages(sessionId: string) {
  const { scopeKey } = useScope();
  const queryClient = useQueryClient();
  const list = useCursorList<Message>({
    name: NAME,
    filters: { sessionId },
    fetchPage: (client, query, options) => client.messages.list(sessionId, { ...query, order: 'desc' }, options),
  });
  const refetchAll = useCallback(
    // Reloads all pages, because a regenerated answer replaces everything after it.
    () => refresh(queryClient, messagesKey(scopeKey, sessionId), { whole: true }),
    [queryClient, scopeKey, sessionId],
  );
  useLiveEvent((event) => {
    if ('session_id' in event && event.session_id === sessionId && event.type !== 'execution.progress') refetchAll();
  });
  const messages = useMemo(() => list.items.toReversed(), [list.items]);
  return { ...list, messages, answering: findActiveAnswer(messages), readAnew: refetchAll };
}

/** Returns the answer being written; a conversation has at most one. */
function findActiveAnswer(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'assistant' && !hasEnded(message));
}
