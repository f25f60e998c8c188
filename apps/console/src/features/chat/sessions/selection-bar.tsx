import { ArchiveBoxIcon, ArchiveBoxXMarkIcon, FolderIcon, TrashIcon, XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Checkbox, Group, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { t } from '../../../i18n/i18n.ts';
import { MoveDialog } from './move-dialog.tsx';
import type { Selection } from './use-selection.ts';
import { type SessionChange, useSessionChanges } from './use-session-changes.ts';

interface SelectionBarProps {
  selection: Selection;
  /** The conversations that are loaded. */
  count: number;
  isArchive: boolean;
}

/** Shows how many conversations are selected, and changes them. */
export default function SelectionBar({ selection, count, isArchive }: SelectionBarProps) {
  const ids = [...(selection.ids ?? [])];
  const { mutate, isPending } = useSessionChanges();
  const [isDeleting, deleting] = useDisclosure();
  const [isMoving, moving] = useDisclosure();
  const apply = (change: SessionChange) => mutate({ ids, change }, { onSuccess: selection.end });
  const action = { isDisabled: ids.length === 0 || isPending };
  return (
    <Group gap={4} wrap="nowrap" role="toolbar" aria-label={t('conversation.selectedConversations')}>
      <Checkbox
        flex={1}
        size="xs"
        px={8}
        label={ids.length === 0 ? t('conversation.selectAll') : t('conversation.selectedCount', { count: ids.length })}
        checked={ids.length > 0 && ids.length === count}
        indeterminate={ids.length > 0 && ids.length < count}
        onChange={() => selection.setAll(ids.length < count)}
      />
      <Action
        {...action}
        label={isArchive ? t('common.unarchive') : t('conversation.archive')}
        icon={isArchive ? <ArchiveBoxXMarkIcon /> : <ArchiveBoxIcon />}
        onClick={() => apply({ type: 'update', fields: { archived: !isArchive } })}
      />
      <Action {...action} label={t('common.moveToFolder')} icon={<FolderIcon />} onClick={moving.open} />
      <Action {...action} label={t('common.delete')} icon={<TrashIcon />} onClick={deleting.open} />
      <Action label={t('conversation.cancelSelection')} icon={<XMarkIcon />} onClick={selection.end} />
      <MoveDialog
        opened={isMoving}
        onClose={moving.close}
        current={null}
        onMove={(folder_id) => apply({ type: 'update', fields: { folder_id } })}
      />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title={t('conversation.deleteSelected', { count: ids.length })}
        confirmLabel={t('common.delete')}
        onConfirm={() => apply({ type: 'delete' })}
      >
        {t('conversation.deleteSelectedHint', { count: ids.length })}
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
