import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import { FileButton, Text, UnstyledButton } from '@mantine/core';
import { type DragEvent, type ReactNode, useState } from 'react';
import { notifyRefusal } from '../data/notify.ts';
import classes from './file-drop.module.css';

interface FileDropProps {
  label: string;
  /** Media types and endings, as `accept` of a file input takes them. */
  accept: string;
  /** Which files are good, and how large they may be. */
  children: ReactNode;
  onFiles: (files: File[]) => void;
  multiple?: boolean;
}

/** A place to drop files on, which is also the button to choose them. */
export function FileDrop({ label, accept, children, onFiles, multiple = false }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const take = (files: readonly File[]) => {
    if (files.length > 1 && !multiple) notifyRefusal('One file at a time', 'The first one was taken.');
    if (files.length > 0) onFiles(multiple ? [...files] : files.slice(0, 1));
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    take([...event.dataTransfer.files]);
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
    <FileButton multiple accept={accept} onChange={take}>
      {({ onClick }) => content(onClick)}
    </FileButton>
  ) : (
    <FileButton accept={accept} onChange={(file) => take(file === null ? [] : [file])}>
      {({ onClick }) => content(onClick)}
    </FileButton>
  );
}
