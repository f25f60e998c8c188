import { CheckBadgeIcon } from '@heroicons/react/24/outline';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../../components/empty-state.tsx';
import { FileDrop } from '../../../components/file-drop.tsx';
import { UploadBar } from '../../../components/upload-bar.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useUpload } from '../../../data/use-upload.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from '../create/create.module.css';
import { RunList } from '../create/run-list.tsx';
import { useRuns } from '../create/use-runs.ts';
import { assetName } from '../gallery/asset-name.ts';
import { VerifyResult } from './verify-result.tsx';

/** Tells whether a file was made here, and whether it shows what is claimed. */
export default function VerifyPanel() {
  const { client, scopeKey } = useScope();
  const [params] = useSearchParams();
  const given = params.get('asset');
  const list = useRuns('verify');
  const [expected, setExpected] = useState('');
  const [prompt, setPrompt] = useState('');
  const asset = useQuery({
    queryKey: [scopeKey, 'assets', 'one', given],
    queryFn: ({ signal }) => client.assets.get(String(given), { signal }),
    enabled: given !== null,
  });
  const begin = useMutation({
    mutationFn: async ({ id, title }: { id: string; title: string }) => {
      const claims = {
        ...(expected.trim() !== '' && { expected_text: expected }),
        ...(prompt.trim() !== '' && { prompt }),
      };
      const execution = await client.iris.verify.start({ asset_id: id, ...claims });
      list.add({ id: execution.id, title, assetId: id });
    },
    onError: notifyError,
  });
  const upload = useUpload(({ id }, file) => begin.mutateAsync({ id, title: file.name }));
  return (
    <div className={classes.columns}>
      <div className={classes.form}>
        <FileDrop
          label="Drop an image, a video or a sound here"
          accept="image/*,video/*,audio/*"
          onFiles={upload.start}
        >
          or choose one
        </FileDrop>
        <UploadBar upload={upload} />
        <TextInput
          label="What should be written in it"
          value={expected}
          onChange={(event) => setExpected(event.currentTarget.value)}
        />
        <Textarea
          label="What it should show"
          description="A model that sees is asked"
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          autosize
        />
        {asset.data && (
          <Button
            leftSection={<CheckBadgeIcon />}
            loading={begin.isPending}
            onClick={() => begin.mutate({ id: asset.data.id, title: assetName(asset.data) })}
          >
            Verify {assetName(asset.data)}
          </Button>
        )}
      </div>
      <RunList
        list={list}
        empty={
          <EmptyState title="Nothing verified yet" icon={CheckBadgeIcon}>
            What is made here carries a signed record, and is known again by its content and its looks. “Not found”
            never means that something is no AI's work.
          </EmptyState>
        }
      >
        {(output) => <VerifyResult output={output} />}
      </RunList>
    </div>
  );
}
