import { FilmIcon } from '@heroicons/react/24/outline';
import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/placeholders.tsx';
import { t } from '../../../i18n/i18n.ts';
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
        placeholder={t('studio.videoExample')}
        sizes={SIZES}
        submit={{ label: t('studio.createVideo'), icon: <FilmIcon /> }}
        besideSize={
          <NumberInput
            label={t('studio.seconds')}
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
          <EmptyState title={t('studio.noVideosYet')} icon={FilmIcon}>
            {t('studio.noVideosHint')}
          </EmptyState>
        }
      >
        {(output, { execution }) => <GeneratedAssets output={output} expected={execution === null ? 1 : 0} />}
      </RunList>
    </div>
  );
}
