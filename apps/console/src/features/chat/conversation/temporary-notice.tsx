import type { Session } from '@chorus/client';
import { ClockIcon } from '@heroicons/react/24/outline';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { notifySuccess } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './temporary-notice.module.css';

/** Explains that a conversation is temporary, and offers to keep it. */
export function TemporaryNotice({ session }: { session?: Session }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const keep = useMutation({
    mutationFn: (id: string) => client.sessions.update(id, { temporary: false }),
    onSuccess: (kept) => {
      queryClient.setQueryData([scopeKey, 'sessions', 'one', kept.id], kept);
      void queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
      notifySuccess(t('modes.kept'));
    },
  });
  return (
    <Group className={classes.notice} gap="sm" wrap="nowrap" role="note" aria-label={t('modes.temporary')}>
      <ClockIcon aria-hidden />
      <Text size="sm" flex={1}>
        {t('modes.temporaryHint')}
      </Text>
      {session && (
        <Button size="compact-sm" variant="default" loading={keep.isPending} onClick={() => keep.mutate(session.id)}>
          {t('modes.keep')}
        </Button>
      )}
    </Group>
  );
}

/** Erases a temporary conversation when the user leaves it. A closed tab leaves that to the server. */
export function useEraseOnLeave(session: Session | undefined): void {
  const { client } = useScope();
  const latest = useRef(session);
  latest.current = session;
  useEffect(
    () => () => {
      const left = latest.current;
      // Effects also run again while the page stays.
      if (!left?.temporary || location.pathname.endsWith(`/chat/${left.id}`)) return;
      void erase(client, left.id);
    },
    [client],
  );
}

type Client = ReturnType<typeof useScope>['client'];

/** Stops a running answer, and erases the conversation. The server erases it later if this fails. */
export async function erase(client: Client, sessionId: string): Promise<void> {
  try {
    const { active_execution_id: running } = await client.sessions.get(sessionId);
    if (running !== null) {
      await client.jobs.cancel(running);
      await client.jobs.wait(running);
    }
    await client.sessions.delete(sessionId);
  } catch {
    // erased by the server within an hour
  }
}
