import type { Share } from '@chorus/client';
import { LinkIcon } from '@heroicons/react/24/outline';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useScope } from '../scope/scope-context.tsx';
import { useRole } from '../scope/use-role.ts';
import { Time } from './format.tsx';
import { QueryView } from './placeholders.tsx';
import { Dimmed } from './text.tsx';

interface ShareListProps {
  /** Only links to this conversation. */
  sessionId?: string;
  empty: ReactNode;
}

/** Lists the user's links to conversations, which can be revoked. */
export function ShareList({ sessionId, empty }: ShareListProps) {
  const { client, scopeKey } = useScope();
  const shares = useQuery({
    queryKey: [scopeKey, 'shares', sessionId ?? null],
    queryFn: ({ signal }) =>
      Array.fromAsync(client.shares.all(sessionId === undefined ? {} : { session_id: sessionId }, { signal })),
  });
  return (
    <QueryView query={shares}>
      {(all) =>
        all.length === 0 ? (
          empty
        ) : (
          <Stack gap="xs" component="ul" p={0} m={0} aria-label="Links">
            {all.map((share) => (
              <ShareRow key={share.id} share={share} isTitled={sessionId === undefined} />
            ))}
          </Stack>
        )
      }
    </QueryView>
  );
}

function ShareRow({ share, isTitled }: { share: Share; isTitled: boolean }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const isEditor = useRole().isAtLeast('editor');
  const revoke = useMutation({
    mutationFn: () => client.shares.revoke(share.id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'shares'] }),
  });
  const title = share.title ?? 'Untitled';
  return (
    <Group component="li" wrap="nowrap" style={{ listStyle: 'none' }}>
      <LinkIcon />
      <div style={{ flex: 1, minWidth: 0 }}>
        {isTitled && (
          <Anchor component={Link} href={`/chat/${share.session_id}`} size="sm" truncate display="block">
            {title}
          </Anchor>
        )}
        <Text size="xs" c={isTitled ? 'dimmed' : undefined}>
          {share.message_count.toLocaleString('en')} messages, shared <Time at={share.created_at} />
        </Text>
        <Dimmed size="xs">
          {share.expires_at === null ? (
            'No expiry'
          ) : (
            <>
              Until <Time at={share.expires_at} />
            </>
          )}
        </Dimmed>
      </div>
      {isEditor && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={revoke.isPending}
          onClick={() => revoke.mutate()}
          aria-label={`Revoke the link to ${title}`}
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}
