import type { ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

interface RecordDialogProps<T> extends Pick<ModalProps, 'onClose' | 'size'> {
  /** Null closes the dialog. */
  record: T | 'new' | null;
  titles: { create: string; edit: string };
  /** Renders the form; null means a new record. */
  children: (record: T | null) => ReactNode;
}

/** A dialog that creates or edits a record. A click outside does not close it, so no input is lost. */
export function RecordDialog<T>({ record, titles, children, ...rest }: RecordDialogProps<T>) {
  return (
    <Dialog
      opened={record !== null}
      title={record === 'new' ? titles.create : titles.edit}
      closeOnClickOutside={false}
      {...rest}
    >
      {record !== null && children(record === 'new' ? null : record)}
    </Dialog>
  );
}
