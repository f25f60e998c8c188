import type { Message } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyDone, notifyError } from '../../../data/notify.ts';
import { refresh } from '../../../data/refresh.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { messagesKey } from './use-messages.ts';

/** Edits a message, and takes edits back. What somebody else has changed meanwhile is not overwritten. */
export function useMessageChanges({ id, session_id, revision }: Message) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const onSettled = () => {
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'history', id] });
    return refresh(queryClient, messagesKey(scopeKey, session_id), { whole: true });
  };
  const edit = useMutation({
    mutationFn: (content: string) => client.messages.edit(id, content, { revision }),
    onError: notifyError,
    onSettled,
  });
  const undo = useMutation({
    mutationFn: () => client.messages.undo(id, { revision }),
    onError: notifyError,
    onSettled,
  });
  return { edit, undo };
}

export function useArchiveMessage(id: string) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => client.archive.create({ from: { type: 'message', id } }),
    onSuccess: ({ title }) => {
      notifyDone(`Kept in the archive as “${title}”.`);
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'archive'] });
    },
    onError: notifyError,
  });
}
