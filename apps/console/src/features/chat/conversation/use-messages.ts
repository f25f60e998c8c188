import { hasEnded, type Message } from '@chorus/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useLiveEvent } from '../../../data/live-events.tsx';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** What is said in a conversation, kept up with what is said elsewhere. */
export function useMessages(sessionId: string) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: [scopeKey, 'messages', sessionId],
    queryFn: ({ signal }) => Array.fromAsync(client.messages.all(sessionId, {}, { signal })),
  });
  const readAnew = useCallback(
    () => refresh(queryClient, [scopeKey, 'messages', sessionId]),
    [queryClient, scopeKey, sessionId],
  );
  useLiveEvent((event) => {
    if ('session_id' in event && event.session_id === sessionId && event.type !== 'execution.progress') readAnew();
  });
  const messages = query.data ?? [];
  return { ...query, messages, answering: answeringOf(messages), readAnew };
}

/** The answer that is being written; a conversation has one at most. */
function answeringOf(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'assistant' && !hasEnded(message));
}
