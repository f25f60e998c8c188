import { PhotoIcon, SparklesIcon } from '@heroicons/react/24/outline';
import { NumberInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './create.module.css';
import { CreationForm } from './creation-form.tsx';
import { MadeAssets } from './made-assets.tsx';
import { RunList } from './run-list.tsx';
import { useCreation } from './use-creation.ts';

const SIZES = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024', '1536x1024', '1024x1536'];

export default function CreateImages() {
  const { client } = useScope();
  const [negative, setNegative] = useState('');
  const [count, setCount] = useState(1);
  const [seed, setSeed] = useState<number | null>(null);
  const creation = useCreation({
    runs: 'images',
    capability: 'image',
    usualSize: '1024x1024',
    begin: (wish) =>
      client.iris.generate.start({
        ...wish,
        n: count,
        ...(seed !== null && { seed }),
        ...(negative.trim() !== '' && { negative_prompt: negative }),
      }),
  });

  return (
    <div className={classes.columns}>
      <CreationForm
        creation={creation}
        prompt={{ label: 'What should be seen', placeholder: 'Three red balloons over a calm sea' }}
        sizes={SIZES}
        submit={{ label: `Make ${count === 1 ? 'an image' : `${count} images`}`, icon: <SparklesIcon /> }}
        more={
          <Textarea
            label="What should not be seen"
            value={negative}
            onChange={(event) => setNegative(event.currentTarget.value)}
            autosize
            minRows={1}
            maxLength={8_000}
          />
        }
        besideSize={
          <NumberInput
            label="Images"
            value={count}
            onChange={(value) => setCount(Number(value) || 1)}
            min={1}
            max={10}
          />
        }
        besideModel={
          <NumberInput
            label="Seed"
            description="The same one gives the same picture"
            value={seed ?? ''}
            onChange={(value) => setSeed(typeof value === 'number' ? value : null)}
            min={0}
            max={2_147_483_647}
            allowDecimal={false}
          />
        }
      />
      <RunList
        list={creation.list}
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
