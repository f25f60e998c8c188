import { PhotoIcon, SparklesIcon } from '@heroicons/react/24/outline';
import { NumberInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { EmptyState } from '../../../components/placeholders.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './create.module.css';
import { CreationForm, useCreation } from './creation-form.tsx';
import { GeneratedAssets } from './generated-assets.tsx';
import { ReferenceImages } from './reference-images.tsx';
import { reuseOf } from './reuse.ts';
import { RunList } from './run-list.tsx';

const SIZES = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024', '1536x1024', '1024x1536'];

export default function CreateImages() {
  const { client } = useScope();
  const [negativePrompt, setNegativePrompt] = useState('');
  const search = useSearch();
  const [reused] = useState(() => reuseOf(search));
  const [count, setCount] = useState(reused.count);
  const [references, setReferences] = useState(() => (reused.reference === null ? [] : [reused.reference]));
  const [seed, setSeed] = useState<number | null>(null);
  const creation = useCreation({
    path: '/iris/generate',
    capability: 'image',
    initialPrompt: reused.prompt,
    defaultSize: '1024x1024',
    startRun: (request) =>
      client.iris.generate.start({
        ...request,
        n: count,
        ...(seed !== null && { seed }),
        ...(references.length > 0 && { reference_asset_ids: references }),
        ...(negativePrompt.trim() !== '' && { negative_prompt: negativePrompt }),
      }),
  });

  return (
    <div className={classes.columns}>
      <CreationForm
        creation={creation}
        placeholder={t('studio.imageExample')}
        sizes={SIZES}
        submit={{ label: t('studio.createCount', { count }), icon: <SparklesIcon /> }}
        more={
          <>
            <ReferenceImages
              ids={references}
              onRemove={(removed) => setReferences(references.filter((id) => id !== removed))}
            />
            <Textarea
              label={t('studio.negativePrompt')}
              value={negativePrompt}
              onChange={(event) => setNegativePrompt(event.currentTarget.value)}
              autosize
              minRows={1}
              maxLength={8_000}
            />
          </>
        }
        besideSize={
          <NumberInput
            label={t('components.images')}
            value={count}
            onChange={(value) => setCount(Number(value) || 1)}
            min={1}
            max={10}
          />
        }
        besideModel={
          <NumberInput
            label={t('studio.seed')}
            description={t('studio.seedHint')}
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
          <EmptyState title={t('studio.noImagesYet')} icon={PhotoIcon}>
            {t('studio.noImagesHint')}
          </EmptyState>
        }
      >
        {(output, { progress, execution }) => (
          <GeneratedAssets output={output} expected={execution === null ? (progress?.total ?? 1) : 0} />
        )}
      </RunList>
    </div>
  );
}
