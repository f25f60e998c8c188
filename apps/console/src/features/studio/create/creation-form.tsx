import { Button, Group, Select, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Form } from '../../../components/form.tsx';
import { useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import classes from './create.module.css';
import { metadataOf } from './runs.ts';
import { useRuns } from './use-runs.ts';

interface CreationFormProps {
  creation: Creation;
  placeholder: string;
  sizes: readonly string[];
  submit: { label: string; icon: ReactNode };
  more?: ReactNode;
  besideSize: ReactNode;
  besideModel?: ReactNode;
}

export function CreationForm({
  creation,
  placeholder,
  sizes,
  submit,
  more,
  besideSize,
  besideModel,
}: CreationFormProps) {
  const { start } = creation;
  return (
    <Form onSubmit={() => start.mutate()} className={classes.form}>
      <Textarea
        label={t('studio.prompt')}
        placeholder={placeholder}
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
          label={t('studio.size')}
          data={sizes}
          value={creation.size}
          onChange={(value) => creation.setSize(value ?? creation.size)}
          allowDeselect={false}
        />
      </Group>
      <Group grow align="flex-end">
        {besideModel}
        <Select
          label={t('common.model')}
          description={t('studio.modelHint')}
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
    </Form>
  );
}

interface GenerationRequest {
  prompt: string;
  /** Width and height, such as `640x360`. */
  size: string;
  model?: string;
  metadata: Record<string, string>;
}

interface CreationOptions {
  /** The route that the form calls. */
  path: string;
  capability: 'image' | 'video';
  defaultSize: string;
  initialPrompt?: string;
  startRun: (request: GenerationRequest) => Promise<{ id: string }>;
}

type Creation = ReturnType<typeof useCreation>;

/** State that all creation forms share, and the runs they have started. */
export function useCreation({ path, capability, defaultSize, initialPrompt = '', startRun }: CreationOptions) {
  const list = useRuns(path);
  const models = useModels(capability);
  const [prompt, setPrompt] = useState(initialPrompt);
  const [size, setSize] = useState(defaultSize);
  const [model, setModel] = useState<string | null>(null);
  const start = useMutation({
    mutationFn: () =>
      startRun({ prompt, size, metadata: metadataOf({ title: prompt }), ...(model !== null && { model }) }),
    onSuccess: list.refresh,
  });
  return { list, models, prompt, setPrompt, size, setSize, model, setModel, start };
}
