import { FilmIcon } from '@heroicons/react/24/outline';
import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/placeholders.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './create.module.css';
import { CreationForm, useCreation } from './creation-form.tsx';
import { GeneratedAssets } from './generated-assets.tsx';
import { RunList } from './run-list.tsx';

const SIZES = ['640x360', '854x480', '1280x720', '720x1280', '1920x1080'];

export default function CreateVideo() {
  const { client } = useScope();
  const [seconds, setSeconds] = useState(4);
  const creation = useCreation({
    path: '/iris/video',
    capability: 'video',
    defaultSize: '854x480',
    startRun: (request) => client.iris.video.start({ ...request, duration_s: seconds }),
  });

  return (
    <div className={classes.columns}>
      <CreationForm
        creation={creation}
        placeholder="Waves at sunset"
        sizes={SIZES}
        submit={{ label: 'Create video', icon: <FilmIcon /> }}
        besideSize={
          <NumberInput
            label="Seconds"
            value={seconds}
            onChange={(value) => setSeconds(Number(value) || 4)}
            min={0.5}
            max={60}
            step={0.5}
          />
        }
      />
      <RunList
        list={creation.list}
        empty={
          <EmptyState title="No videos yet" icon={FilmIcon}>
            Describe a video. It is created in the background, so you can close this page.
          </EmptyState>
        }
      >
        {(output, { execution }) => <GeneratedAssets output={output} expected={execution === null ? 1 : 0} />}
      </RunList>
    </div>
  );
}
