import { type DrawerProps, type ModalProps, TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useId, useState, useSyncExternalStore } from 'react';
import { t } from '../i18n/i18n.ts';
import { DialogForm } from './form.tsx';

const load = () => import('./modal.tsx');
const Modal = lazy(async () => ({ default: (await load()).Modal }));
const Drawer = lazy(async () => ({ default: (await load()).Drawer }));

/** A modal that closes on Escape only when nothing is open above it. */
export function Dialog({ closeOnEscape = true, ...props }: ModalProps) {
  const isOnTop = useIsTopmost(props.opened);
  return (
    <WhenOpened opened={props.opened}>
      <Modal {...props} closeOnEscape={closeOnEscape && isOnTop} />
    </WhenOpened>
  );
}

/** A drawer that closes on Escape only when nothing is open above it. */
export function SideDrawer({ closeOnEscape = true, ...props }: DrawerProps) {
  const isOnTop = useIsTopmost(props.opened);
  // Its header is not a banner: the page has one.
  const attributes = { header: { role: 'presentation' } };
  return (
    <WhenOpened opened={props.opened}>
      <Drawer attributes={attributes} {...props} closeOnEscape={closeOnEscape && isOnTop} />
    </WhenOpened>
  );
}

/** Renders its children once they have been opened, even while they close. */
function WhenOpened({ opened, children }: { opened: boolean; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened && !wasOpened) setWasOpened(true);
  return wasOpened && <Suspense>{children}</Suspense>;
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

interface NameDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  submitLabel: string;
  /** The current name. */
  name?: string;
  maxLength?: number;
  onSubmit: (name: string) => void;
}

export function RenameDialog({
  onRename,
  ...props
}: Pick<NameDialogProps, 'opened' | 'onClose' | 'name' | 'maxLength'> & { onRename: (name: string) => void }) {
  return <NameDialog {...props} title={t('common.rename')} submitLabel={t('common.rename')} onSubmit={onRename} />;
}

export function NameDialog({ opened, onClose, title, onSubmit, ...form }: NameDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <NameForm
        {...form}
        onCancel={onClose}
        onSubmit={(name) => {
          onClose();
          onSubmit(name);
        }}
      />
    </Dialog>
  );
}

/** Separate, so that each opening starts with the current name. */
function NameForm({
  name = '',
  submitLabel,
  maxLength = 200,
  onCancel,
  onSubmit,
}: Pick<NameDialogProps, 'name' | 'submitLabel' | 'maxLength' | 'onSubmit'> & { onCancel: () => void }) {
  const [text, setText] = useState(name);
  return (
    <DialogForm
      submitLabel={submitLabel}
      onSubmit={() => onSubmit(text.trim())}
      onCancel={onCancel}
      isIncomplete={text.trim() === ''}
    >
      <TextInput
        label={t('common.name')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={maxLength}
        data-autofocus
        required
      />
    </DialogForm>
  );
}
