import { ArchiveBoxIcon, ArchiveBoxXMarkIcon, FolderIcon, TrashIcon, XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Checkbox, Group, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import type { Selection } from './use-selection.ts';
import { type SessionChange, useSessionChanges } from './use-session-changes.ts';

interface SelectionBarProps {
  selection: Selection;
  /** The conversations that are loaded. */
  count: number;
  isArchive: boolean;
}

/** Says how many conversations are selected, and changes them. */
export default function SelectionBar({ selection, count, isArchive }: SelectionBarProps) {
  const ids = [...(selection.ids ?? [])];
  const { mutate, isPending } = useSessionChanges();
  const [isDeleting, deleting] = useDisclosure();
  const [isMoving, moving] = useDisclosure();
  const apply = (change: SessionChange) => mutate({ ids, change }, { onSuccess: selection.end });
  const about = ids.length === 1 ? 'this conversation' : `${ids.length.toLocaleString('en')} conversations`;
  const action = { isDisabled: ids.length === 0 || isPending };
  return (
    <Group gap={4} wrap="nowrap" role="toolbar" aria-label="Selected conversations">
      <Checkbox
        flex={1}
        size="xs"
        px={8}
        label={ids.length === 0 ? 'Select all' : `${ids.length.toLocaleString('en')} selected`}
        checked={ids.length > 0 && ids.length === count}
        indeterminate={ids.length > 0 && ids.length < count}
        onChange={() => selection.setAll(ids.length < count)}
      />
      <Action
        {...action}
        label={isArchive ? 'Unarchive' : 'Archive'}
        icon={isArchive ? <ArchiveBoxXMarkIcon /> : <ArchiveBoxIcon />}
        onClick={() => apply({ type: 'update', fields: { archived: !isArchive } })}
      />
      <Action {...action} label="Move to folder" icon={<FolderIcon />} onClick={moving.open} />
      <Action {...action} label="Delete" icon={<TrashIcon />} onClick={deleting.open} />
      <Action label="Cancel selection" icon={<XMarkIcon />} onClick={selection.end} />
      <MoveDialog
        opened={isMoving}
        onClose={moving.close}
        current={null}
        onMove={(folder_id) => apply({ type: 'update', fields: { folder_id } })}
      />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title={`Delete ${about}?`}
        confirmLabel="Delete"
        onConfirm={() => apply({ type: 'delete' })}
      >
        All messages in {ids.length === 1 ? 'it' : 'them'} are deleted permanently.
      </ConfirmDialog>
    </Group>
  );
}

interface ActionProps {
  label: string;
  icon: ReactNode;
  isDisabled?: boolean;
  onClick: () => void;
}

function Action({ label, icon, isDisabled = false, onClick }: ActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={isDisabled} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
