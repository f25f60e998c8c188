import { Drawer, type DrawerProps, Modal, type ModalProps, TextInput } from '@mantine/core';

import { useEffect, useId, useState, useSyncExternalStore } from 'react';
import { DialogForm } from './form.tsx';

/** A modal that closes on Escape only when nothing is open above it. */
export function Dialog({ closeOnEscape = true, ...props }: ModalProps) {
  const isOnTop = useIsTopmost(props.opened);
  return <Modal {...props} closeOnEscape={closeOnEscape && isOnTop} />;
}

/** A drawer that closes on Escape only when nothing is open above it. */
export function SideDrawer({ closeOnEscape = true, ...props }: DrawerProps) {
  const isOnTop = useIsTopmost(props.opened);
  return <Drawer {...props} closeOnEscape={closeOnEscape && isOnTop} />;
}

/** Ids of the open dialogs and drawers, topmost last. */
let openIds: readonly string[] = [];
const listeners = new Set<() => void>();

function setOpenIds(next: readonly string[]): void {
  openIds = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns whether nothing was opened on top of this. */
function useIsTopmost(isOpen: boolean): boolean {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    setOpenIds([...openIds, id]);
    return () => setOpenIds(openIds.filter((one) => one !== id));
  }, [isOpen, id]);
  return useSyncExternalStore(subscribe, () => openIds.at(-1) === id);
}

interface RenameDialogProps {
  opened: boolean;
  onClose: () => void;
  name: string;
  onRename: (name: string) => void;
}

export function RenameDialog({ opened, onClose, name, onRename }: RenameDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Rename">
      <RenameForm
        name={name}
        onCancel={onClose}
        onRename={(changed) => {
          onClose();
          onRename(changed);
        }}
      />
    </Dialog>
  );
}

/** Separate, so that each opening starts with the current name. */
function RenameForm({
  name,
  onCancel,
  onRename,
}: {
  name: string;
  onCancel: () => void;
  onRename: (name: string) => void;
}) {
  const [text, setText] = useState(name);
  return (
    <DialogForm
      submitLabel="Rename"
      onSubmit={() => onRename(text.trim())}
      onCancel={onCancel}
      isIncomplete={text.trim() === ''}
    >
      <TextInput
        label="Name"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={200}
        data-autofocus
        required
      />
    </DialogForm>
  );
}
