import {
  ArchiveBoxIcon,
  ChatBubbleLeftRightIcon,
  ChevronUpDownIcon,
  FolderIcon,
  FolderPlusIcon,
  PencilIcon,
  TrashIcon,
} from '@heroicons/react/24/outline';
import { Button, Menu, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { NameDialog, RenameDialog } from '../../../components/dialog.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { useFolders } from './use-folders.ts';

/** Which conversations are listed: all, the archived ones, or those of a folder, by its id. */
export type View = 'all' | 'archived' | `fld_${string}`;

interface ViewMenuProps {
  view: View;
  onChange: (view: View) => void;
}

export function ViewMenu({ view, onChange }: ViewMenuProps) {
  const { isAtLeast } = useRole();
  const folders = useFolders();
  const folder = folders.find(({ id }) => id === view);
  const { create, rename, remove } = useFolderChanges(view);
  const [isCreating, creating] = useDisclosure();
  const [isRenaming, renaming] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const label = folder?.name ?? (view === 'archived' ? t('chat.archived') : t('chat.allConversations'));
  return (
    <>
      <Menu position="bottom-start" width={248}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            justify="space-between"
            flex={1}
            miw={0}
            rightSection={<ChevronUpDownIcon />}
            aria-label={t('chat.showing', { view: label })}
          >
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<ChatBubbleLeftRightIcon />} onClick={() => onChange('all')}>
            {t('chat.allConversations')}
          </Menu.Item>
          <Menu.Item leftSection={<ArchiveBoxIcon />} onClick={() => onChange('archived')}>
            {t('chat.archived')}
          </Menu.Item>
          {folders.length > 0 && <Menu.Label>{t('chat.folders')}</Menu.Label>}
          <ScrollArea.Autosize mah={320}>
            {folders.map(({ id, name }) => (
              <Menu.Item key={id} leftSection={<FolderIcon />} onClick={() => onChange(id as View)}>
                {name}
              </Menu.Item>
            ))}
          </ScrollArea.Autosize>
          {isAtLeast('editor') && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<FolderPlusIcon />} onClick={creating.open}>
                {t('chat.newFolder')}
              </Menu.Item>
            </>
          )}
          {folder && isAtLeast('editor') && (
            <>
              <Menu.Item leftSection={<PencilIcon />} onClick={renaming.open}>
                {t('chat.renameFolder')}
              </Menu.Item>
              <Menu.Item color="red" leftSection={<TrashIcon />} onClick={deleting.open}>
                {t('chat.deleteFolder')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <NameDialog
        opened={isCreating}
        onClose={creating.close}
        title={t('chat.newFolder')}
        submitLabel={t('chat.createFolder')}
        maxLength={100}
        onSubmit={(name) => create.mutate(name, { onSuccess: ({ id }) => onChange(id as View) })}
      />
      <RenameDialog
        maxLength={100}
        opened={isRenaming}
        onClose={renaming.close}
        name={label}
        onRename={(name) => rename.mutate(name)}
      />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title={t('chat.deleteFolderQuestion')}
        confirmLabel={t('common.delete')}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => onChange('all') })}
      >
        {t('chat.deleteFolderHint', { name: label })}
      </ConfirmDialog>
    </>
  );
}

function useFolderChanges(id: string) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'folders'] });
  const create = useMutation({
    mutationFn: (name: string) => client.folders.create({ name }),
    // The list of folders must know it before it is shown.
    onSuccess: onSettled,
  });
  const rename = useMutation({ mutationFn: (name: string) => client.folders.rename(id, name), onSettled });
  const remove = useMutation({ mutationFn: () => client.folders.delete(id), onSettled });
  return { create, rename, remove };
}
