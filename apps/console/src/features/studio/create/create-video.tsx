import { FilmIcon } from '@heroicons/react/24/outline';
import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './create.module.css';
import { CreationForm } from './creation-form.tsx';
import { MadeAssets } from './made-assets.tsx';
import { RunList } from './run-list.tsx';
import { useCreation } from './use-creation.ts';

const SIZES = ['640x360', '854x480', '1280x720', '720x1280', '1920x1080'];

export default function CreateVideo() {
  const { client } = useScope();
  const [seconds, setSeconds] = useState(4);
  const creation = useCreation({
    runs: 'video',
    capability: 'video',
    usualSize: '854x480',
    begin: (wish) => client.iris.video.start({ ...wish, duration_s: seconds }),
  });

  return (
    <div className={classes.columns}>
      <CreationForm
        creation={creation}
        prompt={{ label: 'What should happen', placeholder: 'Waves at sunset' }}
        sizes={SIZES}
        submit={{ label: 'Make a video', icon: <FilmIcon /> }}
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
