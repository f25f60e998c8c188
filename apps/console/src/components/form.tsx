import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

interface FormProps {
  onSubmit: () => void;
  children: ReactNode;
  className?: string | undefined;
}

export function Form({ onSubmit, ...rest }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...rest}
    />
  );
}

interface DialogFormProps {
  submitLabel: string;
  onSubmit: () => void;
  onCancel: () => void;
  isPending?: boolean;
  /** Disables the submit button. */
  isIncomplete: boolean;
  children: ReactNode;
}

export function DialogForm({ submitLabel, onSubmit, onCancel, isPending, isIncomplete, children }: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={isIncomplete}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
