import type { KnowledgeEntry } from '@chorus/client';
import { ArchiveBoxArrowDownIcon, ArrowPathIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Group, Stack, TagsInput, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { DeleteButton } from '../../../components/delete-button.tsx';
import { MakersNote } from '../../../components/makers-note.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { SideDrawer } from '../../../components/side-drawer.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { notifyDone, notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import classes from './documents.module.css';
import { IngestionSteps } from './ingestion-steps.tsx';

interface EntryDrawerProps {
  /** Null: closed. */
  entryId: string | null;
  onChange: () => void;
}

/** One document: how it is, what answers are looked for in, and what can be done to it. */
export function EntryDrawer({ entryId, onChange }: EntryDrawerProps) {
  const { client, scopeKey } = useScope();
  const [, navigate] = useLocation();
  const close = () => navigate('/knowledge');
  const query = useQuery({
    queryKey: [scopeKey, 'knowledge', 'one', entryId],
    queryFn: ({ signal }) => client.knowledge.get(String(entryId), { signal }),
    enabled: entryId !== null,
  });
  const changed = () => {
    query.refetch();
    onChange();
  };
  return (
    <SideDrawer
      opened={entryId !== null}
      onClose={close}
      title={query.data?.title ?? 'Document'}
      position="right"
      size="lg"
    >
      <QueryView query={query}>
        {(entry) => <Entry key={entry.id} entry={entry} onChange={changed} onDeleted={close} />}
      </QueryView>
    </SideDrawer>
  );
}

function Entry({ entry, onChange, onDeleted }: { entry: KnowledgeEntry; onChange: () => void; onDeleted: () => void }) {
  const { client } = useScope();
  const { isAtLeast, mayChange } = useRole();
  const isMine = mayChange(entry.user_id);
  const retry = useMutation({
    mutationFn: () => client.knowledge.retry(entry.id),
    onError: notifyError,
    onSettled: onChange,
  });
  const tag = useMutation({
    mutationFn: (tags: string[]) => client.knowledge.update(entry.id, { tags }),
    onError: notifyError,
    onSettled: onChange,
  });
  const archive = useMutation({
    mutationFn: () => client.archive.create({ from: { type: 'knowledge', id: entry.id } }),
    onSuccess: ({ title }) => notifyDone(`Kept in the archive as “${title}”.`),
    onError: notifyError,
  });
  const gone = () => {
    onDeleted();
    onChange();
  };
  return (
    <Stack>
      <Group justify="space-between">
        <StatusBadge status={entry.status} />
        <Group gap="xs">
          {entry.status === 'failed' && isMine && (
            <Button leftSection={<ArrowPathIcon />} onClick={() => retry.mutate()} loading={retry.isPending}>
              Try again
            </Button>
          )}
          {isAtLeast('editor') && (
            <Button
              variant="default"
              leftSection={<ArchiveBoxArrowDownIcon />}
              onClick={() => archive.mutate()}
              loading={archive.isPending}
              disabled={entry.status !== 'ready'}
            >
              Keep in the archive
            </Button>
          )}
          {isMine && (
            <DeleteButton
              title="Delete this document?"
              onDelete={() => client.knowledge.delete(entry.id)}
              onDeleted={gone}
            >
              “{entry.title}” goes with its file and all that is found in it, for ever.
            </DeleteButton>
          )}
        </Group>
      </Group>
      {!isMine && (
        <MakersNote
          maker="Who added it"
          what={entry.status === 'failed' ? 'try it again, tag and delete it' : 'tag and delete it'}
        />
      )}
      {entry.status !== 'ready' && <IngestionSteps entry={entry} />}
      {entry.warnings.map((warning) => (
        <Alert key={warning} color="yellow">
          {warning}
        </Alert>
      ))}
      <TagsInput
        label="Tags"
        description="Questions can be limited to some"
        value={entry.tags}
        onChange={(tags) => tag.mutate(tags)}
        maxTags={50}
        disabled={!isMine || tag.isPending}
      />
      <Passages entryId={entry.id} revision={entry.searchable_revision} />
    </Stack>
  );
}

/** The most passages that are shown. */
const SHOWN = 200;

function Passages({ entryId, revision }: { entryId: string; revision: number | null }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'passages', entryId, revision],
    queryFn: async ({ signal }) => {
      const passages = [];
      for await (const passage of client.knowledge.chunks(entryId, { signal })) {
        passages.push(passage);
        if (passages.length === SHOWN) break;
      }
      return passages;
    },
    enabled: revision !== null,
  });
  if (!data) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        Passages
      </Title>
      <Stack gap="xs">
        {data.map(({ id, text, heading_path, page }) => (
          <div key={id} className={classes.chunk}>
            <Text size="xs" c="dimmed">
              {[...heading_path, ...(page === null ? [] : [`page ${page}`])].join(' › ')}
            </Text>
            <Text size="sm">{text}</Text>
          </div>
        ))}
      </Stack>
      {data.length === SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          These are the first {SHOWN}.
        </Text>
      )}
    </section>
  );
}
