import type { Share } from '@chorus/client';
import { LinkIcon } from '@heroicons/react/24/outline';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { t } from '../i18n/i18n.ts';
import { rich } from '../i18n/rich.tsx';
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
          <Stack gap="xs" component="ul" p={0} m={0} aria-label={t('components.links')}>
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
  const title = share.title ?? t('common.untitled');
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
          {rich('components.messagesShared', {
            count: share.message_count,
            time: <Time at={share.created_at} />,
          })}
        </Text>
        <Dimmed size="xs">
          {share.expires_at === null
            ? t('components.noExpiry')
            : rich('components.until', { time: <Time at={share.expires_at} /> })}
        </Dimmed>
      </div>
      {isEditor && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={revoke.isPending}
          onClick={() => revoke.mutate()}
          aria-label={t('components.revokeLinkTo', { title })}
        >
          {t('components.revoke')}
        </Button>
      )}
    </Group>
  );
}
