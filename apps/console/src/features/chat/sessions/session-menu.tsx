import type { Session } from '@chorus/client';
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
import { type ComponentProps, useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { RenameDialog } from '../../../components/rename-dialog.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { useSessionChanges } from './use-session-changes.ts';

interface SessionMenuProps {
  session: Session;
}

/** What can be done with a conversation. Thousands have one, and hardly any is opened: until then it is a button and no more. */
export function SessionMenu({ session }: SessionMenuProps) {
  const { isAtLeast } = useRole();
  const [isUsed, setIsUsed] = useState(false);
  if (!isAtLeast('editor')) return null;
  if (isUsed) return <UsedMenu session={session} />;
  return <MenuButton session={session} aria-haspopup="menu" aria-expanded={false} onClick={() => setIsUsed(true)} />;
}

function MenuButton({ session, ...rest }: SessionMenuProps & ComponentProps<'button'>) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={`More for ${session.title ?? 'Untitled'}`} {...rest}>
      <EllipsisHorizontalIcon />
    </ActionIcon>
  );
}

function UsedMenu({ session }: SessionMenuProps) {
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
            {session.pinned ? 'Unpin' : 'Pin to the top'}
          </Menu.Item>
          <Menu.Item leftSection={<StarIcon />} onClick={() => update.mutate({ starred: !session.starred })}>
            {session.starred ? 'Take the star off' : 'Star'}
          </Menu.Item>
          <Menu.Item leftSection={<PencilIcon />} onClick={renaming.open}>
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<ArchiveBoxArrowDownIcon />} onClick={() => archive.mutate()}>
            Keep in the archive
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
        confirm="Delete"
        onConfirm={() => remove.mutate()}
      >
        “{title}” goes with all its messages, for ever.
      </ConfirmDialog>
    </>
  );
}
