import { BookOpenIcon, LinkIcon, PencilSquareIcon } from '@heroicons/react/24/outline';
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { FileDrop } from '../../../components/file-drop.tsx';
import { ListView } from '../../../components/list-view.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { AddText } from './add-text.tsx';
import { AddUrl } from './add-url.tsx';
import classes from './documents.module.css';
import { EntryDrawer } from './entry-drawer.tsx';
import { EntryRow } from './entry-row.tsx';
import { type EntryStatus, useEntries } from './use-entries.ts';
import { useKnowledgeUpload } from './use-knowledge-upload.ts';

const ACCEPTED = '.pdf,.docx,.pptx,.xlsx,.odt,.epub,.html,.htm,.md,.txt,.csv,image/*';

/** @param entryId the document that is open */
export default function Documents({ entryId }: { entryId: string | undefined }) {
  // A path without a document names the list itself.
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
          <FileDrop label="Drop documents here" accept={ACCEPTED} onFiles={upload.start} multiple>
            PDF, Word, PowerPoint, Excel, EPUB, web pages, Markdown, text, pictures: up to 50 at once
          </FileDrop>
          {upload.names.length > 0 && (
            <Text size="sm" role="status">
              Storing {upload.names.length === 1 ? upload.names[0] : `${upload.names.length} files`}:{' '}
              {Math.round(upload.fraction * 100)}%
            </Text>
          )}
        </div>
      )}
      <Group justify="space-between">
        <SegmentedControl
          data={[
            { value: 'all', label: 'All' },
            { value: 'processing', label: 'In work' },
            { value: 'ready', label: 'Ready' },
            { value: 'failed', label: 'Failed' },
          ]}
          value={status ?? 'all'}
          onChange={(value) => setStatus(value === 'all' ? null : (value as EntryStatus))}
          aria-label="Which documents"
        />
        {isEditor && (
          <Group gap="xs">
            <Button variant="default" leftSection={<LinkIcon />} onClick={linking.open}>
              Add a web page
            </Button>
            <Button variant="default" leftSection={<PencilSquareIcon />} onClick={writing.open}>
              Add a text
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
            <EmptyState title={status === null ? 'No documents yet' : 'None of these'} icon={BookOpenIcon}>
              {isEditor
                ? 'Drop some above, then ask them: answers cite the very sentences that they rest on.'
                : 'Editors of this workspace add them; you are viewer here.'}
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
