import { TrashIcon } from '@heroicons/react/24/outline';
import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../i18n/i18n.ts';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  confirmLabel: string;
  onConfirm: () => void;
  children: ReactNode;
}

export function ConfirmDialog({ opened, onClose, title, confirmLabel, onConfirm, children }: ConfirmDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('common.cancel')}
        </Button>
        <Button
          color="red.9"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {confirmLabel}
        </Button>
      </Group>
    </Dialog>
  );
}

interface DeleteButtonProps {
  title: string;
  children: ReactNode;
  onDelete: () => Promise<unknown>;
  onDeleted: () => void;
}

export function DeleteButton({ title, children, onDelete, onDeleted }: DeleteButtonProps) {
  const [isConfirming, confirming] = useDisclosure();
  const remove = useMutation({ mutationFn: onDelete, onSuccess: onDeleted });
  return (
    <>
      <Button variant="default" leftSection={<TrashIcon />} onClick={confirming.open} loading={remove.isPending}>
        {t('common.delete')}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={confirming.close}
        title={title}
        confirmLabel={t('common.delete')}
        onConfirm={() => remove.mutate()}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
