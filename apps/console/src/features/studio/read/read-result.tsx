import type { OutputItem } from '@chorus/client';
import { ClipboardIcon } from '@heroicons/react/24/outline';
import { Button, CopyButton, Group, Pagination, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { sameOriginUrl } from '../../../data/files.ts';
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
            { value: 'page', label: 'Page' },
            { value: 'text', label: 'Text' },
          ]}
          value={shown}
          onChange={(value) => setShown(value as typeof shown)}
          aria-label="View"
        />
        <CopyButton value={result.markdown}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={<ClipboardIcon />} onClick={copy}>
              {copied ? 'Copied' : 'Copy text'}
            </Button>
          )}
        </CopyButton>
      </Group>
      {shown === 'text' && <Markdown text={result.markdown} />}
      {shown === 'page' && page && <PageView page={page} image={isImage ? sameOriginUrl(asset.url) : null} />}
      {shown === 'page' && !page && <Text c="dimmed">No pages were read.</Text>}
      {shown === 'page' && result.pages.length > 1 && (
        <Pagination
          total={result.pages.length}
          value={at}
          onChange={setAt}
          mt="md"
          getControlProps={(control) => ({ 'aria-label': control })}
        />
      )}
      {result.truncated && <Dimmed mt="xs">The text is too long to show here. The job has the complete output.</Dimmed>}
    </>
  );
}
