import type { KnowledgeEntry } from '@chorus/client';
import { BookOpenIcon, LinkIcon, PencilSquareIcon } from '@heroicons/react/24/outline';
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { READABLE_DOCUMENTS, readableDocumentsInWords } from '../../../components/accepted-files.ts';
import { FileDrop } from '../../../components/file-drop.tsx';
import { ListView } from '../../../components/list-view.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import rows from '../../../components/rows.module.css';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import { useRole } from '../../../scope/use-role.ts';
import { AddText, AddUrl } from './add-dialogs.tsx';
import classes from './documents.module.css';
import { EntryDrawer } from './entry-drawer.tsx';
import { EntryRow } from './entry-row.tsx';
import { useKnowledgeUpload } from './use-knowledge-upload.ts';

export default function Documents({ entryId }: { entryId: string | undefined }) {
  // `/knowledge/documents` is the list itself.
  const opened = entryId === undefined || entryId === 'documents' ? null : entryId;
  const { isAtLeast } = useRole();
  const isEditor = isAtLeast('editor');
  const [status, setStatus] = useState<EntryStatus | null>(null);
  const entries = useEntries(status);
  const upload = useKnowledgeUpload(entries.refresh);
  const [isWriting, writing] = useDisclosure();
  const [isLinking, linking] = useDisclosure();
  return (
    <div className={classes.documents}>
      {isEditor && (
        <div className={classes.add}>
          <FileDrop
            label={t('knowledge.dropDocumentsHere')}
            accept={READABLE_DOCUMENTS}
            supported={readableDocumentsInWords()}
            onFiles={upload.start}
            multiple
          >
            {t('knowledge.dropHint', { types: readableDocumentsInWords() })}
          </FileDrop>
          {upload.names.length > 0 && (
            <Text size="sm" role="status">
              {t('knowledge.uploading', {
                count: upload.names.length,
                name: upload.names[0] ?? '',
                percent: formatNumber(upload.fraction, { style: 'percent' }),
              })}
            </Text>
          )}
        </div>
      )}
      <Group justify="space-between">
        <SegmentedControl
          data={[
            { value: 'all', label: t('knowledge.all') },
            { value: 'processing', label: t('knowledge.processing') },
            { value: 'ready', label: t('knowledge.ready') },
            { value: 'failed', label: t('components.failed') },
          ]}
          value={status ?? 'all'}
          onChange={(value) => setStatus(value === 'all' ? null : (value as EntryStatus))}
          aria-label={t('knowledge.filterDocuments')}
        />
        {isEditor && (
          <Group gap="xs">
            <Button variant="default" leftSection={<LinkIcon />} onClick={linking.open}>
              {t('knowledge.addWebPage')}
            </Button>
            <Button variant="default" leftSection={<PencilSquareIcon />} onClick={writing.open}>
              {t('knowledge.addText')}
            </Button>
          </Group>
        )}
      </Group>
      <div className={rows.rows}>
        <ListView
          label={t('components.documents')}
          list={entries}
          estimatedHeight={66}
          empty={
            <EmptyState
              title={status === null ? t('knowledge.noDocumentsYet') : t('knowledge.noMatchingDocuments')}
              icon={BookOpenIcon}
            >
              {isEditor ? t('knowledge.noDocumentsHint') : t('knowledge.noDocumentsViewer')}
            </EmptyState>
          }
        >
          {(entry) => <EntryRow entry={entry} />}
        </ListView>
      </div>
      <AddText opened={isWriting} onClose={writing.close} onAdded={entries.refresh} />
      <AddUrl opened={isLinking} onClose={linking.close} onAdded={entries.refresh} />
      <EntryDrawer entryId={opened} onChange={entries.refresh} />
    </div>
  );
}

type EntryStatus = KnowledgeEntry['status'];

function useEntries(status: EntryStatus | null) {
  const filters = status === null ? {} : { status };
  return useCursorList({
    name: 'knowledge',
    filters,
    fetchPage: (client, query, options) => client.knowledge.list({ ...query, ...filters }, options),
  });
}
