import { DocumentMagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { FileDrop } from '../../../components/file-drop.tsx';
import { UploadBar } from '../../../components/upload-bar.tsx';
import { useUpload } from '../../../data/use-upload.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from '../create/create.module.css';
import { RunList } from '../create/run-list.tsx';
import { useRuns } from '../create/use-runs.ts';
import { ReadResult } from './read-result.tsx';

/** Reads what is written in images and documents, and shows where it stands. */
export default function ReadPanel() {
  const { client } = useScope();
  const list = useRuns('read');
  const [pages, setPages] = useState('');
  const [languages, setLanguages] = useState('');
  const upload = useUpload(async (asset, file) => {
    const { id } = await client.iris.ocr.start({
      asset_id: asset.id,
      ...(pages.trim() !== '' && { pages }),
      ...(languages.trim() !== '' && { languages: languages.split(/[\s,]+/).filter(Boolean) }),
    });
    list.add({ id, title: file.name, assetId: asset.id });
  });
  return (
    <div className={classes.columns}>
      <div className={classes.form}>
        <FileDrop label="Drop an image or a PDF here" accept="image/*,application/pdf" onFiles={upload.start}>
          or choose one. It is kept among your files.
        </FileDrop>
        <UploadBar upload={upload} />
        <TextInput
          label="Pages"
          description="Such as 1-3,7; empty: all"
          value={pages}
          onChange={(event) => setPages(event.currentTarget.value)}
        />
        <TextInput
          label="Languages"
          description="Such as eng, deu; empty: English"
          value={languages}
          onChange={(event) => setLanguages(event.currentTarget.value)}
        />
      </div>
      <RunList
        list={list}
        empty={
          <EmptyState title="Nothing read yet" icon={DocumentMagnifyingGlassIcon}>
            What is read is shown with a box around every word, and as text to copy.
          </EmptyState>
        }
      >
        {(output, _progress, run) => <ReadResult output={output} assetId={run.assetId} />}
      </RunList>
    </div>
  );
}
