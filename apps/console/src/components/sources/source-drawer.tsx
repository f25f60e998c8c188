import type { Citation } from '@chorus/client';
import { ArrowTopRightOnSquareIcon } from '@heroicons/react/24/outline';
import { Breadcrumbs, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ownUrl } from '../../data/own-url.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { SideDrawer } from '../side-drawer.tsx';
import classes from './sources.module.css';

interface SourceDrawerProps {
  /** Null: closed. */
  citation: Citation | null;
  onClose: () => void;
}

/** Where something stands in a source, word for word, and the way to the whole of it. */
export function SourceDrawer({ citation, onClose }: SourceDrawerProps) {
  return (
    <SideDrawer
      opened={citation !== null}
      onClose={onClose}
      title={citation === null ? 'Source' : titleOf(citation)}
      position="right"
      size="md"
    >
      {citation && <Passage citation={citation} />}
    </SideDrawer>
  );
}

/** Citations of a document that was deleted have lost its title. */
export function titleOf({ title }: Pick<Citation, 'title'>): string {
  return title === '' ? 'Deleted document' : title;
}

function Passage({ citation: { entry_id, heading_path, page, quote } }: { citation: Citation }) {
  if (quote === '') return <Text size="sm">This document was deleted, and so was what it said here.</Text>;
  const place = [...heading_path, ...(page === null ? [] : [`Page ${page}`])];
  return (
    <Stack>
      {place.length > 0 && (
        <Breadcrumbs>
          {place.map((step) => (
            <Text key={step} size="sm" c="dimmed">
              {step}
            </Text>
          ))}
        </Breadcrumbs>
      )}
      <blockquote className={classes.quote}>{quote}</blockquote>
      <Group>
        <Button component={Link} href={`/knowledge/${entry_id}`} variant="default">
          Open in Knowledge
        </Button>
        <OpenDocument entryId={entry_id} page={page} />
      </Group>
    </Stack>
  );
}

/** Opens the file, or the page of the web, that a source was made from; nothing where it was written here. */
function OpenDocument({ entryId, page }: { entryId: string; page: number | null }) {
  const { client, scopeKey } = useScope();
  const { data: address, isError } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'document', entryId],
    queryFn: async ({ signal }) => {
      const { source } = await client.knowledge.get(entryId, { signal });
      if (source.type === 'url') return source.url;
      return source.type === 'file' ? ownUrl((await client.assets.get(source.asset_id, { signal })).url) : null;
    },
  });
  if (isError) return <Text size="sm">The document has been deleted since.</Text>;
  if (!address) return null;
  return (
    <Button
      component="a"
      href={page === null ? address : `${address}#page=${page}`}
      target="_blank"
      rel="noreferrer"
      rightSection={<ArrowTopRightOnSquareIcon />}
    >
      Open the document
    </Button>
  );
}
