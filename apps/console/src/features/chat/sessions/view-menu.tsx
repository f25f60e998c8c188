import {
  ArchiveBoxIcon,
  ChatBubbleLeftRightIcon,
  ChevronUpDownIcon,
  FolderIcon,
  PencilIcon,
  TrashIcon,
} from '@heroicons/react/24/outline';
import { Button, Menu, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { RenameDialog } from '../../../components/dialog.tsx';
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
  const { rename, remove } = useFolderChanges(view);
  const [isRenaming, renaming] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const label = folder?.name ?? (view === 'archived' ? 'Archived' : 'All conversations');
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
            aria-label={`Show: ${label}`}
          >
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<ChatBubbleLeftRightIcon />} onClick={() => onChange('all')}>
            All conversations
          </Menu.Item>
          <Menu.Item leftSection={<ArchiveBoxIcon />} onClick={() => onChange('archived')}>
            Archived
          </Menu.Item>
          {folders.length > 0 && <Menu.Label>Folders</Menu.Label>}
          <ScrollArea.Autosize mah={320}>
            {folders.map(({ id, name }) => (
              <Menu.Item key={id} leftSection={<FolderIcon />} onClick={() => onChange(id as View)}>
                {name}
              </Menu.Item>
            ))}
          </ScrollArea.Autosize>
          {folder && isAtLeast('editor') && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<PencilIcon />} onClick={renaming.open}>
                Rename this folder
              </Menu.Item>
              <Menu.Item color="red" leftSection={<TrashIcon />} onClick={deleting.open}>
                Delete this folder
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <RenameDialog
        opened={isRenaming}
        onClose={renaming.close}
        name={label}
        onRename={(name) => rename.mutate(name)}
      />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title="Delete this folder?"
        confirmLabel="Delete"
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => onChange('all') })}
      >
        “{label}” is deleted. Its conversations stay, in no folder.
      </ConfirmDialog>
    </>
  );
}

function useFolderChanges(id: string) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [scopeKey, 'folders'] });
  const rename = useMutation({ mutationFn: (name: string) => client.folders.rename(id, name), onSettled });
  const remove = useMutation({ mutationFn: () => client.folders.delete(id), onSettled });
  return { rename, remove };
}
