import { Button, Group, Select, Textarea } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import classes from './create.module.css';
import type { Creation } from './use-creation.ts';

interface CreationFormProps {
  creation: Creation;
  prompt: { label: string; placeholder: string };
  sizes: readonly string[];
  submit: { label: string; icon: ReactNode };
  /** More about the prompt. */
  more?: ReactNode;
  besideSize: ReactNode;
  besideModel?: ReactNode;
}

export function CreationForm({ creation, prompt, sizes, submit, more, besideSize, besideModel }: CreationFormProps) {
  const { start } = creation;
  const send = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <form onSubmit={send} className={classes.form}>
      <Textarea
        {...prompt}
        value={creation.prompt}
        onChange={(event) => creation.setPrompt(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={32_000}
        required
      />
      {more}
      <Group grow>
        {besideSize}
        <Select
          label="Size"
          data={sizes}
          value={creation.size}
          onChange={(value) => creation.setSize(value ?? creation.size)}
          allowDeselect={false}
        />
      </Group>
      <Group grow align="flex-end">
        {besideModel}
        <Select
          label="Model"
          description="Empty: the usual one"
          data={creation.models.map(({ id }) => id)}
          value={creation.model}
          onChange={creation.setModel}
          clearable
        />
      </Group>
      <Button
        type="submit"
        leftSection={submit.icon}
        loading={start.isPending}
        disabled={creation.prompt.trim() === ''}
      >
        {submit.label}
      </Button>
    </form>
  );
}
