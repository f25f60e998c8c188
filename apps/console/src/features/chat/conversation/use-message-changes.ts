import type { Message } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messagesKey } from '../../../data/list-key.ts';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** Edits a message and undoes edits, unless someone else has changed it. */
export function useMessageChanges({ id, session_id, revision }: Message) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const onSettled = () => {
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'history', id] });
    return refresh(queryClient, messagesKey(scopeKey, session_id), { whole: true });
  };
  const edit = useMutation({
    mutationFn: (content: string) => client.messages.edit(id, content, { revision }),
    onSettled,
  });
  const undo = useMutation({
    mutationFn: () => client.messages.undo(id, { revision }),
    onSettled,
  });
  return { edit, undo };
}
