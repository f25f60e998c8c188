import type { Session } from '@chorus/client';
import {
  ArchiveBoxArrowDownIcon,
  ArchiveBoxIcon,
  ArchiveBoxXMarkIcon,
  BookmarkIcon,
  CodeBracketIcon,
  DocumentTextIcon,
  EllipsisHorizontalIcon,
  FolderIcon,
  LinkIcon,
  PencilIcon,
  SparklesIcon,
  StarIcon,
  TrashIcon,
} from '@heroicons/react/24/outline';
import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { RenameDialog } from '../../../components/dialog.tsx';
import { save } from '../../../data/files.ts';
import { useArchive } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { MoveDialog } from './move-dialog.tsx';
import classes from './session-list.module.css';
import { ShareDialog } from './share-dialog.tsx';
import { type SessionChange, useSessionChanges } from './use-session-changes.ts';

interface SessionMenuProps {
  session: Session;
}

/** Renders only a button until it is used, because a list may hold thousands of these menus. */
export function SessionMenu({ session }: SessionMenuProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (wasOpened) return <OpenedMenu session={session} />;
  return <MenuButton session={session} aria-haspopup="menu" aria-expanded={false} onClick={() => setWasOpened(true)} />;
}

function MenuButton({ session, ...rest }: SessionMenuProps & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className={classes.options}
      aria-label={t('chat.optionsFor', { title: session.title ?? t('common.untitled') })}
      {...rest}
    >
      <EllipsisHorizontalIcon />
    </button>
  );
}

function OpenedMenu({ session }: SessionMenuProps) {
  const { client } = useScope();
  const { mutate } = useSessionChanges();
  const change = (wanted: SessionChange) => mutate({ ids: [session.id], change: wanted });
  const update = (fields: (SessionChange & { type: 'update' })['fields']) => change({ type: 'update', fields });
  const copy = useArchive('session', session.id);
  const download = useDownload(session);
  const suggest = useMutation({ mutationFn: () => client.sessions.title({ session_id: session.id }) });
  const [isRenaming, renaming] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const [isMoving, moving] = useDisclosure();
  const [isSharing, sharing] = useDisclosure();
  const title = session.title ?? t('common.untitled');
  return (
    <>
      <Menu position="bottom-end" defaultOpened>
        <Menu.Target>
          <MenuButton session={session} autoFocus />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<BookmarkIcon />} onClick={() => update({ pinned: !session.pinned })}>
            {session.pinned ? t('chat.unpin') : t('chat.pin')}
          </Menu.Item>
          <Menu.Item leftSection={<StarIcon />} onClick={() => update({ starred: !session.starred })}>
            {session.starred ? t('chat.removeStar') : t('chat.star')}
          </Menu.Item>
          <Menu.Item leftSection={<PencilIcon />} onClick={renaming.open}>
            {t('common.rename')}
          </Menu.Item>
          {session.message_count > 0 && (
            <Menu.Item leftSection={<SparklesIcon />} onClick={() => suggest.mutate()}>
              {t('chat.writeANewTitle')}
            </Menu.Item>
          )}
          {session.message_count > 0 && (
            <Menu.Item leftSection={<LinkIcon />} onClick={sharing.open}>
              {t('chat.share')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<FolderIcon />} onClick={moving.open}>
            {t('common.moveToFolder')}
          </Menu.Item>
          <Menu.Item
            leftSection={session.archived ? <ArchiveBoxXMarkIcon /> : <ArchiveBoxIcon />}
            onClick={() => update({ archived: !session.archived })}
          >
            {session.archived ? t('common.unarchive') : t('chat.archive')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<DocumentTextIcon />} onClick={() => download.mutate('markdown')}>
            {t('chat.exportAsMarkdown')}
          </Menu.Item>
          <Menu.Item leftSection={<CodeBracketIcon />} onClick={() => download.mutate('json')}>
            {t('chat.exportAsJson')}
          </Menu.Item>
          <Menu.Item leftSection={<ArchiveBoxArrowDownIcon />} onClick={() => copy.mutate()}>
            {t('common.saveToArchive')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<TrashIcon />} onClick={deleting.open}>
            {t('common.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameDialog
        opened={isRenaming}
        onClose={renaming.close}
        name={title}
        onRename={(name) => update({ title: name })}
      />
      <ShareDialog opened={isSharing} onClose={sharing.close} sessionId={session.id} />
      <MoveDialog
        opened={isMoving}
        onClose={moving.close}
        current={session.folder_id}
        onMove={(folder_id) => update({ folder_id })}
      />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title={t('chat.deleteConversation')}
        confirmLabel={t('common.delete')}
        onConfirm={() => change({ type: 'delete' })}
      >
        {t('chat.deleteConversationHint', { title })}
      </ConfirmDialog>
    </>
  );
}

const FILE_TYPES = {
  markdown: { extension: 'md', type: 'text/markdown' },
  json: { extension: 'json', type: 'application/json' },
} as const;

function useDownload({ id, title }: Session) {
  const { client } = useScope();
  return useMutation({
    mutationFn: async (format: keyof typeof FILE_TYPES) => {
      const { extension, type } = FILE_TYPES[format];
      const text = await client.sessions.export(id, format);
      save(new Blob([text], { type }), `${title ?? t('common.untitled')}.${extension}`);
    },
  });
}
