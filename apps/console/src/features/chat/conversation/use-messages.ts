import { hasEnded, type Message } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { messagesKey } from '../../../data/list-key.ts';
import { refresh } from '../../../data/refresh.ts';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export function useMessages(sessionId: string) {
  const { scopeKey } = useScope();
  const queryClient = useQueryClient();
  const list = useCursorList<Message>({
    name: 'messages',
    filters: { sessionId },
    fetchPage: (client, query, options) => client.messages.list(sessionId, { ...query, order: 'desc' }, options),
  });
  const refetchAll = useCallback(
    () => refresh(queryClient, messagesKey(scopeKey, sessionId), { whole: true }),
    [queryClient, scopeKey, sessionId],
  );
  const messages = useMemo(() => list.items.toReversed(), [list.items]);
  return { ...list, messages, answering: findActiveAnswer(messages), reload: refetchAll };
}

/** Returns the answer being written; a conversation has at most one. */
function findActiveAnswer(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'assistant' && !hasEnded(message));
}
