import type { KnowledgeEntry } from '@chorus/client';
import { BookOpenIcon, LinkIcon, PencilSquareIcon } from '@heroicons/react/24/outline';
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { READABLE_DOCUMENTS, readableDocumentsInWords } from '../../../components/accepted-files.ts';
import { FileDrop } from '../../../components/file-drop.tsx';
import { ListView } from '../../../components/list-view.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
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
            label="Drop documents here"
            accept={READABLE_DOCUMENTS}
            supported={readableDocumentsInWords()}
            onFiles={upload.start}
            multiple
          >
            {readableDocumentsInWords()}, up to 50 at once
          </FileDrop>
          {upload.names.length > 0 && (
            <Text size="sm" role="status">
              Uploading {upload.names.length === 1 ? upload.names[0] : `${upload.names.length} files`}:{' '}
              {Math.round(upload.fraction * 100)}%
            </Text>
          )}
        </div>
      )}
      <Group justify="space-between">
        <SegmentedControl
          data={[
            { value: 'all', label: 'All' },
            { value: 'processing', label: 'Processing' },
            { value: 'ready', label: 'Ready' },
            { value: 'failed', label: 'Failed' },
          ]}
          value={status ?? 'all'}
          onChange={(value) => setStatus(value === 'all' ? null : (value as EntryStatus))}
          aria-label="Filter documents"
        />
        {isEditor && (
          <Group gap="xs">
            <Button variant="default" leftSection={<LinkIcon />} onClick={linking.open}>
              Add web page
            </Button>
            <Button variant="default" leftSection={<PencilSquareIcon />} onClick={writing.open}>
              Add text
            </Button>
          </Group>
        )}
      </Group>
      <div className={classes.rows}>
        <ListView
          label="Documents"
          list={entries}
          estimatedHeight={66}
          empty={
            <EmptyState title={status === null ? 'No documents yet' : 'No matching documents'} icon={BookOpenIcon}>
              {isEditor
                ? 'Drop files above, then ask about them. Answers cite the exact sentences they use.'
                : 'Only editors of this workspace can add documents. You are a viewer.'}
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
