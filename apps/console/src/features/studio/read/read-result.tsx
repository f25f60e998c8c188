import type { OutputItem } from '@chorus/client';
import { ClipboardIcon } from '@heroicons/react/24/outline';
import { Button, CopyButton, Group, Pagination, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { sameOriginUrl } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { PageView } from './page-view.tsx';

interface ReadResultProps {
  output: readonly (OutputItem | undefined)[];
  assetId: string | undefined;
}

export function ReadResult({ output, assetId }: ReadResultProps) {
  const { client, scopeKey } = useScope();
  const [shown, setShown] = useState<'page' | 'text'>('page');
  const [at, setAt] = useState(1);
  const { data: asset } = useQuery({
    queryKey: [scopeKey, 'assets', 'one', assetId],
    queryFn: ({ signal }) => client.assets.get(String(assetId), { signal }),
    enabled: assetId !== undefined,
  });
  const result = output.find((item) => item?.type === 'ocr');
  if (result === undefined) return null;
  const page = result.pages[at - 1];
  const isImage = asset?.kind === 'image';
  return (
    <>
      <Group justify="space-between" mb="sm">
        <SegmentedControl
          data={[
            { value: 'page', label: t('studio.page') },
            { value: 'text', label: t('studio.text') },
          ]}
          value={shown}
          onChange={(value) => setShown(value as typeof shown)}
          aria-label={t('studio.view')}
        />
        <CopyButton value={result.markdown}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={<ClipboardIcon />} onClick={copy}>
              {copied ? t('common.copied') : t('studio.copyText')}
            </Button>
          )}
        </CopyButton>
      </Group>
      {shown === 'text' && <Markdown text={result.markdown} />}
      {shown === 'page' && page && <PageView page={page} image={isImage ? sameOriginUrl(asset.url) : null} />}
      {shown === 'page' && !page && <Text c="dimmed">{t('studio.noPagesWereRead')}</Text>}
      {shown === 'page' && result.pages.length > 1 && (
        <Pagination
          total={result.pages.length}
          value={at}
          onChange={setAt}
          mt="md"
          getControlProps={(control) => ({ 'aria-label': control })}
        />
      )}
      {result.truncated && <Dimmed mt="xs">{t('studio.textTooLong')}</Dimmed>}
    </>
  );
}
