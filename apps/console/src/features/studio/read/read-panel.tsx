import { DocumentMagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { READABLE_IMAGES, readableImagesInWords } from '../../../components/accepted-files.ts';
import { FileDrop } from '../../../components/file-drop.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { UploadBar } from '../../../components/progress-bars.tsx';
import { useUpload } from '../../../data/use-upload.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from '../create/create.module.css';
import { RunList } from '../create/run-list.tsx';
import { metadataOf } from '../create/runs.ts';
import { useRuns } from '../create/use-runs.ts';
import { ReadResult } from './read-result.tsx';

export default function ReadPanel() {
  const { client } = useScope();
  const list = useRuns('/iris/ocr');
  const [pages, setPages] = useState('');
  const [languages, setLanguages] = useState('');
  const upload = useUpload(async (asset, file) => {
    await client.iris.ocr.start({
      asset_id: asset.id,
      metadata: metadataOf({ title: file.name, assetId: asset.id }),
      ...(pages.trim() !== '' && { pages }),
      ...(languages.trim() !== '' && { languages: languages.split(/[\s,]+/).filter(Boolean) }),
    });
    list.refresh();
  });
  return (
    <div className={classes.columns}>
      <div className={classes.form}>
        <FileDrop
          label={t('studio.dropRead')}
          accept={`.pdf,application/pdf,${READABLE_IMAGES}`}
          supported={t('studio.pdfAnd', { images: readableImagesInWords() })}
          onFiles={upload.start}
        >
          {t('studio.dropReadHint')}
        </FileDrop>
        <UploadBar upload={upload} />
        <TextInput
          label={t('studio.pages')}
          description={t('studio.pagesHint')}
          value={pages}
          onChange={(event) => setPages(event.currentTarget.value)}
        />
        <TextInput
          label={t('studio.languages')}
          description={t('studio.languagesHint')}
          value={languages}
          onChange={(event) => setLanguages(event.currentTarget.value)}
        />
      </div>
      <RunList
        list={list}
        empty={
          <EmptyState title={t('studio.noRead')} icon={DocumentMagnifyingGlassIcon}>
            {t('studio.noReadHint')}
          </EmptyState>
        }
      >
        {(output, _progress, run) => <ReadResult output={output} assetId={run.assetId} />}
      </RunList>
    </div>
  );
}
