import type { BodyOf, Session } from '@chorus/client';
import {
  ArchiveBoxArrowDownIcon,
  BookmarkIcon,
  EllipsisHorizontalIcon,
  PencilIcon,
  StarIcon,
  TrashIcon,
} from '@heroicons/react/24/outline';
import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { RenameDialog } from '../../../components/dialog.tsx';
import { useArchive } from '../../../data/queries.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';

interface SessionMenuProps {
  session: Session;
}

/** Renders only a button until it is used, because a list may hold thousands of these menus. */
export function SessionMenu({ session }: SessionMenuProps) {
  const { isAtLeast } = useRole();
  const [wasOpened, setWasOpened] = useState(false);
  if (!isAtLeast('editor')) return null;
  if (wasOpened) return <OpenedMenu session={session} />;
  return <MenuButton session={session} aria-haspopup="menu" aria-expanded={false} onClick={() => setWasOpened(true)} />;
}

function MenuButton({ session, ...rest }: SessionMenuProps & ComponentProps<'button'>) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={`Options for ${session.title ?? 'Untitled'}`} {...rest}>
      <EllipsisHorizontalIcon />
    </ActionIcon>
  );
}

function OpenedMenu({ session }: SessionMenuProps) {
  const { update, remove, archive } = useSessionChanges(session);
  const [isRenaming, renaming] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const title = session.title ?? 'Untitled';
  return (
    <>
      <Menu position="bottom-end" defaultOpened>
        <Menu.Target>
          <MenuButton session={session} autoFocus />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<BookmarkIcon />} onClick={() => update.mutate({ pinned: !session.pinned })}>
            {session.pinned ? 'Unpin' : 'Pin'}
          </Menu.Item>
          <Menu.Item leftSection={<StarIcon />} onClick={() => update.mutate({ starred: !session.starred })}>
            {session.starred ? 'Remove star' : 'Star'}
          </Menu.Item>
          <Menu.Item leftSection={<PencilIcon />} onClick={renaming.open}>
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<ArchiveBoxArrowDownIcon />} onClick={() => archive.mutate()}>
            Save to archive
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<TrashIcon />} onClick={deleting.open}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameDialog
        opened={isRenaming}
        onClose={renaming.close}
        name={title}
        onRename={(name) => update.mutate({ title: name })}
      />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title="Delete this conversation?"
        confirmLabel="Delete"
        onConfirm={() => remove.mutate()}
      >
        “{title}” and all its messages are deleted permanently.
      </ConfirmDialog>
    </>
  );
}

function useSessionChanges(session: Session) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [location, navigate] = useLocation();
  const invalidateSessions = () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'sessions'] });
  const update = useMutation({
    mutationFn: (change: BodyOf<'PATCH /sessions/{session_id}'>) => client.sessions.update(session.id, change),
    onSettled: invalidateSessions,
  });
  const remove = useMutation({
    mutationFn: () => client.sessions.delete(session.id),
    onSuccess: () => {
      if (location === `/chat/${session.id}`) navigate('/chat');
    },
    onSettled: invalidateSessions,
  });
  return { update, remove, archive: useArchive('session', session.id) };
}
