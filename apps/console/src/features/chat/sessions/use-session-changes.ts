import type { BodyOf, Session } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { notifyDone, notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** What can be done to a conversation besides talking. */
export function useSessionChanges(session: Session) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [location, navigate] = useLocation();
  const readAnew = () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
  const update = useMutation({
    mutationFn: (change: BodyOf<'PATCH /sessions/{session_id}'>) => client.sessions.update(session.id, change),
    onError: notifyError,
    onSettled: readAnew,
  });
  const remove = useMutation({
    mutationFn: () => client.sessions.delete(session.id),
    onSuccess: () => {
      if (location === `/chat/${session.id}`) navigate('/chat');
    },
    onError: notifyError,
    onSettled: readAnew,
  });
  const archive = useMutation({
    mutationFn: () => client.archive.create({ from: { type: 'session', id: session.id } }),
    onSuccess: ({ title }) => {
      notifyDone(`Kept in the archive as “${title}”.`);
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'archive'] });
    },
    onError: notifyError,
  });
  return { update, remove, archive };
}
