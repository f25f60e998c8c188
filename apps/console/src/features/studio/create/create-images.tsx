import { PhotoIcon, SparklesIcon } from '@heroicons/react/24/outline';
import { Button, Group, NumberInput, Select, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useModels } from '../../../data/use-models.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './create.module.css';
import { MadeAssets } from './made-assets.tsx';
import { RunList } from './run-list.tsx';
import { useRuns } from './use-runs.ts';

const SIZES = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024', '1536x1024', '1024x1536'];

export default function CreateImages() {
  const { client } = useScope();
  const list = useRuns('images');
  const models = useModels('image');
  const [prompt, setPrompt] = useState('');
  const [negative, setNegative] = useState('');
  const [count, setCount] = useState(1);
  const [size, setSize] = useState('1024x1024');
  const [seed, setSeed] = useState<number | null>(null);
  const [model, setModel] = useState<string | null>(null);

  const start = useMutation({
    mutationFn: () =>
      client.iris.generate.start({
        prompt,
        n: count,
        size,
        ...(seed !== null && { seed }),
        ...(model !== null && { model }),
        ...(negative.trim() !== '' && { negative_prompt: negative }),
      }),
    onSuccess: ({ id }) => list.add({ id, title: prompt }),
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };

  return (
    <div className={classes.columns}>
      <form onSubmit={submit} className={classes.form}>
        <Textarea
          label="What should be seen"
          placeholder="Three red balloons over a calm sea"
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={32_000}
          required
        />
        <Textarea
          label="What should not be seen"
          value={negative}
          onChange={(event) => setNegative(event.currentTarget.value)}
          autosize
          minRows={1}
          maxLength={8_000}
        />
        <Group grow>
          <NumberInput
            label="Images"
            value={count}
            onChange={(value) => setCount(Number(value) || 1)}
            min={1}
            max={10}
          />
          <Select
            label="Size"
            data={SIZES}
            value={size}
            onChange={(value) => setSize(value ?? size)}
            allowDeselect={false}
          />
        </Group>
        <Group grow>
          <NumberInput
            label="Seed"
            description="The same one gives the same picture"
            value={seed ?? ''}
            onChange={(value) => setSeed(typeof value === 'number' ? value : null)}
            min={0}
            max={2_147_483_647}
            allowDecimal={false}
          />
          <Select
            label="Model"
            description="Empty: the usual one"
            data={models.map(({ id }) => id)}
            value={model}
            onChange={setModel}
            clearable
          />
        </Group>
        <Button type="submit" leftSection={<SparklesIcon />} loading={start.isPending} disabled={prompt.trim() === ''}>
          Make {count === 1 ? 'an image' : `${count} images`}
        </Button>
      </form>
      <RunList
        list={list}
        empty={
          <EmptyState title="No image yet" icon={PhotoIcon}>
            Say what should be seen. Each image is shown as soon as it is finished, and kept in the gallery.
          </EmptyState>
        }
      >
        {(output, { progress, execution }) => (
          <MadeAssets output={output} expected={execution === null ? (progress?.total ?? 1) : 0} />
        )}
      </RunList>
    </div>
  );
}
