import type { BodyOf, ChorusClient } from '@chorus/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { describeError } from '../../../data/describe-error.ts';
import { notifyWarning } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** A change of one or more conversations. */
export type SessionChange = { type: 'update'; fields: BodyOf<'PATCH /sessions/{session_id}'> } | { type: 'delete' };

interface ChangeRequest {
  ids: readonly string[];
  change: SessionChange;
}

/** Requests sent at once. */
const AT_ONCE = 4;

/** Changes conversations, and reports those that could not be changed. */
export function useSessionChanges() {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [location, navigate] = useLocation();
  return useMutation({
    mutationFn: ({ ids, change }: ChangeRequest) => changeAll(client, ids, change),
    onSuccess: (failures, { ids, change }) => {
      const failed = new Set(failures.map(({ id }) => id));
      const open = ids.find((id) => location === `/chat/${id}`);
      if (change.type === 'delete' && open !== undefined && !failed.has(open)) navigate('/chat');
      const [first] = failures;
      if (first === undefined) return;
      const { title, advice } = describeError(first.error);
      const counts = { count: failures.length, total: ids.length };
      const heading = change.type === 'delete' ? t('chat.notDeleted', counts) : t('chat.notChanged', counts);
      if (ids.length === 1) notifyWarning(title, advice);
      else notifyWarning(heading, `${title}. ${advice}`);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] }),
  });
}

interface Failure {
  id: string;
  error: unknown;
}

async function changeAll(client: ChorusClient, ids: readonly string[], change: SessionChange): Promise<Failure[]> {
  const waiting = [...ids];
  const failures: Failure[] = [];
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        if (change.type === 'delete') await client.sessions.delete(id);
        else await client.sessions.update(id, change.fields);
      } catch (error) {
        failures.push({ id, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures;
}
