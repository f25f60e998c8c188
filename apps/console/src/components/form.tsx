import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/i18n.ts';
import { ErrorAlert } from './placeholders.tsx';

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
  /** Shown above the fields; see `formErrors`. */
  error?: Error | null;
  children: ReactNode;
}

export function DialogForm(props: DialogFormProps) {
  const { submitLabel, onSubmit, onCancel, isPending, isIncomplete, error, children } = props;
  return (
    <Form onSubmit={onSubmit}>
      <Stack>
        {error && <ErrorAlert error={error} />}
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={isPending} disabled={isIncomplete}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
