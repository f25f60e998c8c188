import type { Message } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useScope } from '../../../scope/scope-context.tsx';

/** Copies the conversation up to a message and opens the copy. */
export function useFork({ id, session_id }: Message) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: () => client.sessions.fork(session_id, { message_id: id }),
    onSuccess: (fork) => {
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
      navigate(`/chat/${fork.id}`);
    },
  });
}
