import type { ArchiveUnit } from '@chorus/client';
import { ArchiveBoxIcon, ArrowDownTrayIcon, MagnifyingGlassIcon, PlusIcon } from '@heroicons/react/24/outline';
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { TagBadges } from '../../components/badges.tsx';
import { Time } from '../../components/format.tsx';
import { ListView } from '../../components/list-view.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholders.tsx';
import rows from '../../components/rows.module.css';
import { Dimmed } from '../../components/text.tsx';
import { saveAsNdjson } from '../../data/files.ts';
import { useCursorList } from '../../data/use-cursor-list.ts';
import { t } from '../../i18n/i18n.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import classes from './archive-page.module.css';
import { sourceLabels, UnitDrawer } from './unit-drawer.tsx';
import { CreateUnit } from './unit-form.tsx';

export default function ArchivePage() {
  const [, params] = useRoute('/archive/:unitId');
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [tag, setTag] = useState('');
  const [source, setSource] = useState<Source | null>(null);
  const [q] = useDebouncedValue(query.trim(), 250);
  const [debouncedTag] = useDebouncedValue(tag.trim(), 250);
  const units = useUnits({ q, tag: debouncedTag, source });
  const { isAtLeast } = useRole();
  const [isCreating, creating] = useDisclosure();
  const { client } = useScope();
  const exporting = useMutation({
    mutationFn: () => saveAsNdjson(client.archive.export(), 'archive.ndjson'),
  });
  const isFiltered = q !== '' || debouncedTag !== '' || source !== null;
  return (
    <Page
      title={t('common.archive')}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<ArrowDownTrayIcon />}
            onClick={() => exporting.mutate()}
            loading={exporting.isPending}
          >
            {t('components.export')}
          </Button>
          {isAtLeast('editor') && (
            <Button leftSection={<PlusIcon />} onClick={creating.open}>
              {t('archive.newEntry')}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.archive}>
        <Group gap="xs">
          <TextInput
            aria-label={t('archive.searchArchive')}
            placeholder={t('common.search')}
            leftSection={<MagnifyingGlassIcon />}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            flex={1}
            miw={160}
          />
          <TextInput
            aria-label={t('archive.tag')}
            placeholder={t('archive.tag')}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
            w={130}
          />
          <Select
            aria-label={t('archive.source')}
            placeholder={t('archive.source')}
            data={Object.entries(sourceLabels).map(([value, label]) => ({ value, label: t(label) }))}
            value={source}
            onChange={(value) => setSource(value as Source | null)}
            clearable
            w={150}
          />
        </Group>
        <div className={rows.rows}>
          <ListView
            label={t('common.archive')}
            list={units}
            estimatedHeight={62}
            empty={
              <EmptyState
                title={isFiltered ? t('common.noResults') : t('archive.theArchiveIsEmpty')}
                icon={ArchiveBoxIcon}
              >
                {isFiltered
                  ? t('archive.noResultsHint')
                  : isAtLeast('editor')
                    ? t('archive.emptyHint')
                    : t('archive.emptyViewer')}
              </EmptyState>
            }
          >
            {(unit) => <UnitRow unit={unit} />}
          </ListView>
        </div>
      </div>
      <CreateUnit
        opened={isCreating}
        onClose={creating.close}
        onCreated={(id) => {
          units.refresh();
          navigate(`/archive/${id}`);
        }}
      />
      <UnitDrawer unitId={params?.unitId ?? null} onChange={units.refresh} />
    </Page>
  );
}

const UnitRow = memo(({ unit: { id, title, tags, source, updated_at } }: { unit: ArchiveUnit }) => (
  <Link href={`/archive/${id}`} className={`${rows.row} ${classes.row}`}>
    <Text size="sm" fw={600} truncate>
      <bdi>{title}</bdi>
    </Text>
    <Group gap={6}>
      <Dimmed size="xs">
        {t(sourceLabels[source.type])} · <Time at={updated_at} />
      </Dimmed>
      <TagBadges tags={tags} />
    </Group>
  </Link>
));

export type Source = ArchiveUnit['source']['type'];

interface UnitFilters {
  q: string;
  tag: string;
  source: Source | null;
}

function useUnits({ q, tag, source }: UnitFilters) {
  const filters = { ...(q !== '' && { q }), ...(tag !== '' && { tag }), ...(source !== null && { source }) };
  return useCursorList({
    name: 'archive',
    filters,
    fetchPage: (client, query, options) => client.archive.list({ ...query, ...filters }, options),
  });
}
