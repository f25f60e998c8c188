import { ArchiveBoxIcon, ArrowDownTrayIcon, MagnifyingGlassIcon, PlusIcon } from '@heroicons/react/24/outline';
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListView } from '../../components/list-view.tsx';
import { Page } from '../../components/page.tsx';
import { useRole } from '../../scope/use-role.ts';
import classes from './archive-page.module.css';
import { CreateUnit } from './create-unit.tsx';
import { UnitDrawer } from './unit-drawer.tsx';
import { UnitRow } from './unit-row.tsx';
import { useExport } from './use-export.ts';
import { type Source, sources, useUnits } from './use-units.ts';

/** What is to last: texts of one's own, and what conversations and documents said when they were kept. */
export default function ArchivePage() {
  const [, params] = useRoute('/archive/:unitId');
  const [, navigate] = useLocation();
  const [words, setWords] = useState('');
  const [tag, setTag] = useState('');
  const [source, setSource] = useState<Source | null>(null);
  const [q] = useDebouncedValue(words.trim(), 250);
  const [searchedTag] = useDebouncedValue(tag.trim(), 250);
  const units = useUnits({ q, tag: searchedTag, source });
  const { isAtLeast } = useRole();
  const [isCreating, creating] = useDisclosure();
  const exporting = useExport();
  const isFiltered = q !== '' || searchedTag !== '' || source !== null;
  return (
    <Page
      title="Archive"
      actions={
        <>
          <Button
            variant="default"
            leftSection={<ArrowDownTrayIcon />}
            onClick={() => exporting.mutate()}
            loading={exporting.isPending}
          >
            Export
          </Button>
          {isAtLeast('editor') && (
            <Button leftSection={<PlusIcon />} onClick={creating.open}>
              New text
            </Button>
          )}
        </>
      }
    >
      <div className={classes.archive}>
        <Group gap="xs">
          <TextInput
            aria-label="Search the archive"
            placeholder="Search"
            leftSection={<MagnifyingGlassIcon />}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            flex={1}
            miw={160}
          />
          <TextInput
            aria-label="Tag"
            placeholder="Tag"
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
            w={130}
          />
          <Select
            aria-label="Made from"
            placeholder="Made from"
            data={[...sources]}
            value={source}
            onChange={(value) => setSource(value as Source | null)}
            clearable
            w={150}
          />
        </Group>
        <div className={classes.rows}>
          <ListView
            label="Archive"
            list={units}
            estimatedHeight={62}
            empty={
              <EmptyState title={isFiltered ? 'Nothing found' : 'Nothing is kept yet'} icon={ArchiveBoxIcon}>
                {isFiltered
                  ? 'Titles and texts are searched, in any form of their words.'
                  : isAtLeast('editor')
                    ? 'Write a text, or keep a conversation, a message or a document from its menu.'
                    : 'Editors of this workspace keep texts here; you are viewer.'}
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
