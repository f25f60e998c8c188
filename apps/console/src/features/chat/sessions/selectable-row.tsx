import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './session-list.module.css';

interface SelectableRowProps {
  isSelected: boolean;
  onToggle: (isRange: boolean) => void;
  children: ReactNode;
}

/** A conversation with a checkbox. Loaded with the first selection. */
export default function SelectableRow({ isSelected, onToggle, children }: SelectableRowProps) {
  return (
    <Checkbox
      size="xs"
      className={classes.choice}
      classNames={{ body: classes.choiceBody, labelWrapper: classes.choiceLabel, label: classes.link }}
      label={children}
      checked={isSelected}
      // A click on the label is repeated on the checkbox, with the same modifier keys.
      onClick={(event) => onToggle(event.shiftKey)}
      readOnly
    />
  );
}
