import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

interface DialogFormProps {
  /** What the button says that sends it. */
  submit: string;
  onSubmit: () => void;
  onCancel: () => void;
  /** It is on its way. */
  isPending?: boolean;
  /** Something is still to be filled in. */
  isIncomplete: boolean;
  children: ReactNode;
}

/** What is filled in within a dialog. */
export function DialogForm({ submit, onSubmit, onCancel, isPending, isIncomplete, children }: DialogFormProps) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={send}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={isIncomplete}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
