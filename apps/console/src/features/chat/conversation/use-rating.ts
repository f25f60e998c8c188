import type { Message } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messagesKey } from '../../../data/list-key.ts';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** Rates an answer, and shows the new rating before the server has confirmed it. */
export function useRating({ id, session_id, rating }: Message) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const { mutate, variables, isPending } = useMutation({
    mutationFn: (value: Message['rating']) => client.messages.rate(id, value),
    onSettled: () => refresh(queryClient, messagesKey(scopeKey, session_id), { whole: true }),
  });
  return { rating: isPending ? variables : rating, rate: mutate };
}
