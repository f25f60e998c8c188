import { FilmIcon } from '@heroicons/react/24/outline';
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

const SIZES = ['640x360', '854x480', '1280x720', '720x1280', '1920x1080'];

export default function CreateVideo() {
  const { client } = useScope();
  const list = useRuns('video');
  const models = useModels('video');
  const [prompt, setPrompt] = useState('');
  const [seconds, setSeconds] = useState(4);
  const [size, setSize] = useState('854x480');
  const [model, setModel] = useState<string | null>(null);

  const start = useMutation({
    mutationFn: () => client.iris.video.start({ prompt, duration_s: seconds, size, ...(model !== null && { model }) }),
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
          label="What should happen"
          placeholder="Waves at sunset"
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={32_000}
          required
        />
        <Group grow>
          <NumberInput
            label="Seconds"
            value={seconds}
            onChange={(value) => setSeconds(Number(value) || 4)}
            min={0.5}
            max={60}
            step={0.5}
          />
          <Select
            label="Size"
            data={SIZES}
            value={size}
            onChange={(value) => setSize(value ?? size)}
            allowDeselect={false}
          />
        </Group>
        <Select
          label="Model"
          description="Empty: the usual one"
          data={models.map(({ id }) => id)}
          value={model}
          onChange={setModel}
          clearable
        />
        <Button type="submit" leftSection={<FilmIcon />} loading={start.isPending} disabled={prompt.trim() === ''}>
          Make a video
        </Button>
      </form>
      <RunList
        list={list}
        empty={
          <EmptyState title="No video yet" icon={FilmIcon}>
            Say what should happen. It is made in the background; you may close this page meanwhile.
          </EmptyState>
        }
      >
        {(output, { execution }) => <MadeAssets output={output} expected={execution === null ? 1 : 0} />}
      </RunList>
    </div>
  );
}
