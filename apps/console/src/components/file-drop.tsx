import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import { FileButton, Text, UnstyledButton } from '@mantine/core';
import { type DragEvent, type ReactNode, useState } from 'react';
import { notifyWarning } from '../data/notify.ts';
import { t } from '../i18n/i18n.ts';
import { describeRejected, isAccepted } from './accepted-files.ts';
import classes from './file-drop.module.css';

interface FileDropProps {
  label: string;
  /** Media types and file extensions, as in the `accept` attribute. */
  accept: string;
  /** The accepted types in words. */
  supported: string;
  children: ReactNode;
  onFiles: (files: File[]) => void;
  multiple?: boolean;
}

/** A drop target that also opens the file chooser. */
export function FileDrop({ label, accept, supported, children, onFiles, multiple = false }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const select = (chosen: readonly File[]) => {
    // Choosers offer "All files", and drops are not filtered at all.
    const files = chosen.filter((file) => isAccepted(accept, file));
    const rejected = chosen.filter((file) => !files.includes(file)).map(({ name }) => name);
    if (rejected.length > 0) {
      const { title, advice } = describeRejected(rejected, supported);
      notifyWarning(title, advice);
    }
    if (files.length > 1 && !multiple) notifyWarning(t('components.oneFile'), t('components.onlyTheFirstFile'));
    if (files.length > 0) onFiles(multiple ? [...files] : files.slice(0, 1));
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    select([...event.dataTransfer.files]);
  };
  const content = (onClick: () => void) => (
    <UnstyledButton
      className={classes.drop}
      data-over={isOver || undefined}
      onClick={onClick}
      onDrop={onDrop}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
    >
      <ArrowUpTrayIcon />
      <span>
        <Text component="span" fw={600} display="block">
          {label}
        </Text>
        <Text component="span" size="sm" c="dimmed">
          {children}
        </Text>
      </span>
    </UnstyledButton>
  );
  return multiple ? (
    <FileButton multiple accept={accept} onChange={select}>
      {({ onClick }) => content(onClick)}
    </FileButton>
  ) : (
    <FileButton accept={accept} onChange={(file) => select(file === null ? [] : [file])}>
      {({ onClick }) => content(onClick)}
    </FileButton>
  );
}
