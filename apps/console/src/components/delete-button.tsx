import { TrashIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { notifyError } from '../data/notify.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface DeleteButtonProps {
  /** What is asked before. */
  title: string;
  /** What goes. */
  children: ReactNode;
  onDelete: () => Promise<unknown>;
  onDeleted: () => void;
}

/** Deletes something for ever, once that is confirmed. */
export function DeleteButton({ title, children, onDelete, onDeleted }: DeleteButtonProps) {
  const [isAsking, asking] = useDisclosure();
  const remove = useMutation({ mutationFn: onDelete, onSuccess: onDeleted, onError: notifyError });
  return (
    <>
      <Button variant="default" leftSection={<TrashIcon />} onClick={asking.open} loading={remove.isPending}>
        Delete
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={asking.close}
        title={title}
        confirm="Delete"
        onConfirm={() => remove.mutate()}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
