import { CheckBadgeIcon } from '@heroicons/react/24/outline';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
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
import { assetName } from '../gallery/asset-tile.tsx';
import { VerifyResult } from './verify-result.tsx';

export default function VerifyPanel() {
  const { client, scopeKey } = useScope();
  const [params] = useSearchParams();
  const assetId = params.get('asset');
  const list = useRuns('/iris/verify');
  const [expected, setExpected] = useState('');
  const [prompt, setPrompt] = useState('');
  const asset = useQuery({
    queryKey: [scopeKey, 'assets', 'one', assetId],
    queryFn: ({ signal }) => client.assets.get(String(assetId), { signal }),
    enabled: assetId !== null,
  });
  const start = useMutation({
    mutationFn: async ({ id, title }: { id: string; title: string }) => {
      const claims = {
        ...(expected.trim() !== '' && { expected_text: expected }),
        ...(prompt.trim() !== '' && { prompt }),
      };
      await client.iris.verify.start({ asset_id: id, metadata: metadataOf({ title, assetId: id }), ...claims });
      list.refresh();
    },
  });
  const upload = useUpload(({ id }, file) => start.mutateAsync({ id, title: file.name }));
  return (
    <div className={classes.columns}>
      <div className={classes.form}>
        <FileDrop
          label={t('studio.dropVerify')}
          accept="image/*,video/*,audio/*"
          supported={t('studio.verifiableTypes')}
          onFiles={upload.start}
        >
          {t('studio.orChooseOne')}
        </FileDrop>
        <UploadBar upload={upload} />
        <TextInput
          label={t('studio.expectedText')}
          value={expected}
          onChange={(event) => setExpected(event.currentTarget.value)}
        />
        <Textarea
          label={t('studio.expectedContent')}
          description={t('studio.expectedContentHint')}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          autosize
        />
        {asset.data && (
          <Button
            leftSection={<CheckBadgeIcon />}
            loading={start.isPending}
            onClick={() => start.mutate({ id: asset.data.id, title: assetName(asset.data) })}
          >
            {t('studio.verifyFile', { name: assetName(asset.data) })}
          </Button>
        )}
      </div>
      <RunList
        list={list}
        empty={
          <EmptyState title={t('studio.noVerified')} icon={CheckBadgeIcon}>
            {t('studio.noVerifiedHint')}
          </EmptyState>
        }
      >
        {(output) => <VerifyResult output={output} />}
      </RunList>
    </div>
  );
}
