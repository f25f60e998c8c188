import type { Citation } from '@chorus/client';
import { ArrowTopRightOnSquareIcon } from '@heroicons/react/24/outline';
import { Breadcrumbs, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { sameOriginUrl } from '../data/files.ts';
import { t } from '../i18n/i18n.ts';
import { useScope } from '../scope/scope-context.tsx';
import { SideDrawer } from './dialog.tsx';
import classes from './sources.module.css';
import { Dimmed } from './text.tsx';

/** A source of a text. Without an entry, its document is not offered. */
type Source = Pick<Citation, 'marker' | 'title' | 'heading_path' | 'page' | 'quote'> & { entry_id?: string };

interface Sources {
  reference: (marker: number) => ReactNode;
  /** The list of sources, and the drawer that shows one. */
  list: ReactNode;
}

/** Renders the sources of a text. Each `[1]` opens the passage it cites. */
export function useSources(citations: readonly Source[]): Sources {
  const [opened, setOpened] = useState<Source | null>(null);
  // Citations arrive one by one while a text is written, and lose their title when the document is deleted.
  const markers = citations.map(({ marker, title }) => `${marker} ${title}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const byMarker = useMemo(() => new Map(citations.map((citation) => [citation.marker, citation])), [markers]);
  const reference = useCallback(
    (marker: number) => {
      const citation = byMarker.get(marker);
      if (citation === undefined) return `[${marker}]`;
      return (
        <button
          type="button"
          className={classes.reference}
          onClick={() => setOpened(citation)}
          aria-label={t('components.sourceNumber', { marker, title: titleOf(citation) })}
        >
          {marker}
        </button>
      );
    },
    [byMarker],
  );
  if (byMarker.size === 0) return { reference, list: null };
  const list = (
    <>
      <ul className={classes.list} aria-label={t('components.sources')}>
        {[...byMarker.values()].map((citation) => (
          <li key={citation.marker}>
            <button type="button" className={classes.source} onClick={() => setOpened(citation)}>
              <span className={classes.number}>{citation.marker}</span>
              <span className={classes.title}>{titleOf(citation)}</span>
              {citation.page !== null && (
                <span className={classes.page}>{t('components.pageShort', { page: citation.page })}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <SourceDrawer citation={opened} onClose={() => setOpened(null)} />
    </>
  );
  return { reference, list };
}

interface SourceDrawerProps {
  citation: Source | null;
  onClose: () => void;
}

function SourceDrawer({ citation, onClose }: SourceDrawerProps) {
  return (
    <SideDrawer
      opened={citation !== null}
      onClose={onClose}
      title={citation === null ? t('components.source') : titleOf(citation)}
      position="right"
      size="md"
    >
      {citation && <Passage citation={citation} />}
    </SideDrawer>
  );
}

function titleOf({ title }: Pick<Citation, 'title'>): string {
  return title === '' ? t('components.deletedDocument') : title;
}

function Passage({ citation: { entry_id, heading_path, page, quote } }: { citation: Source }) {
  if (quote === '') return <Text size="sm">{t('components.passageDeleted')}</Text>;
  const place = [...heading_path, ...(page === null ? [] : [t('components.page', { page })])];
  return (
    <Stack>
      {place.length > 0 && (
        <Breadcrumbs>
          {place.map((step) => (
            <Dimmed key={step}>{step}</Dimmed>
          ))}
        </Breadcrumbs>
      )}
      <blockquote className={classes.quote}>{quote}</blockquote>
      {entry_id !== undefined && (
        <Group>
          <Button component={Link} href={`/knowledge/${entry_id}`} variant="default">
            {t('components.openInKnowledge')}
          </Button>
          <OpenDocument entryId={entry_id} page={page} />
        </Group>
      )}
    </Stack>
  );
}

/** Links to the file or web page behind a source. Renders nothing for text that was entered directly. */
function OpenDocument({ entryId, page }: { entryId: string; page: number | null }) {
  const { client, scopeKey } = useScope();
  const { data: address, isError } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'document', entryId],
    queryFn: async ({ signal }) => {
      const { source } = await client.knowledge.get(entryId, { signal });
      if (source.type === 'url') return source.url;
      return source.type === 'file' ? sameOriginUrl((await client.assets.get(source.asset_id, { signal })).url) : null;
    },
  });
  if (isError) return <Text size="sm">{t('components.documentDeleted')}</Text>;
  if (!address) return null;
  return (
    <Button
      component="a"
      href={page === null ? address : `${address}#page=${page}`}
      target="_blank"
      rel="noreferrer"
      rightSection={<ArrowTopRightOnSquareIcon className="mirrored" />}
    >
      {t('components.openDocument')}
    </Button>
  );
}
