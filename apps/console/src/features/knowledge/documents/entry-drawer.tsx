import type { KnowledgeEntry } from '@chorus/client';
import { ArchiveBoxArrowDownIcon, ArrowPathIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Group, Stack, TagsInput, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { StatusBadge } from '../../../components/badges.tsx';
import { DeleteButton } from '../../../components/confirm-dialog.tsx';
import { SideDrawer } from '../../../components/dialog.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { CreatorNote } from '../../../components/role-gate.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useArchive } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import classes from './documents.module.css';
import { IngestionSteps } from './entry-row.tsx';

interface EntryDrawerProps {
  entryId: string | null;
  onChange: () => void;
}

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
      title={query.data?.title ?? t('components.document')}
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
  const { isAtLeast, canChange } = useRole();
  const canEdit = canChange(entry.user_id);
  const retry = useMutation({
    mutationFn: () => client.knowledge.retry(entry.id),
    onSettled: onChange,
  });
  const tag = useMutation({
    mutationFn: (tags: string[]) => client.knowledge.update(entry.id, { tags }),
    onSettled: onChange,
  });
  const archive = useArchive('knowledge', entry.id);
  const onGone = () => {
    onDeleted();
    onChange();
  };
  return (
    <Stack>
      <Group justify="space-between">
        <StatusBadge status={entry.status} />
        <Group gap="xs">
          {entry.status === 'failed' && canEdit && (
            <Button leftSection={<ArrowPathIcon />} onClick={() => retry.mutate()} loading={retry.isPending}>
              {t('common.tryAgain')}
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
              {t('common.saveToArchive')}
            </Button>
          )}
          {canEdit && (
            <DeleteButton
              title={t('knowledge.deleteThisDocument')}
              onDelete={() => client.knowledge.delete(entry.id)}
              onDeleted={onGone}
            >
              {t('knowledge.deleteHint', { title: entry.title })}
            </DeleteButton>
          )}
        </Group>
      </Group>
      {!canEdit && (
        <CreatorNote
          action={entry.status === 'failed' ? t('knowledge.actionRetryTagDelete') : t('knowledge.actionTagDelete')}
        />
      )}
      {entry.status !== 'ready' && <IngestionSteps entry={entry} />}
      {entry.warnings.map((warning) => (
        <Alert key={warning} color="yellow">
          {warning}
        </Alert>
      ))}
      <TagsInput
        label={t('components.tags')}
        description={t('knowledge.tagsHint')}
        value={entry.tags}
        onChange={(tags) => tag.mutate(tags)}
        maxTags={50}
        disabled={!canEdit || tag.isPending}
      />
      <Passages entryId={entry.id} revision={entry.searchable_revision} />
    </Stack>
  );
}

const MAX_PASSAGES = 200;

function Passages({ entryId, revision }: { entryId: string; revision: number | null }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'passages', entryId, revision],
    queryFn: async ({ signal }) => {
      const passages = [];
      for await (const passage of client.knowledge.chunks(entryId, { signal })) {
        passages.push(passage);
        if (passages.length === MAX_PASSAGES) break;
      }
      return passages;
    },
    enabled: revision !== null,
  });
  if (!data) return null;
  return (
    <section>
      <SectionTitle mb="xs">{t('knowledge.passages')}</SectionTitle>
      <Stack gap="xs">
        {data.map(({ id, text, heading_path, page }) => (
          <div key={id} className={classes.chunk}>
            <Dimmed size="xs">
              {[...heading_path, ...(page === null ? [] : [t('components.page', { page })])].join(' › ')}
            </Dimmed>
            <Text size="sm">{text}</Text>
          </div>
        ))}
      </Stack>
      {data.length === MAX_PASSAGES && (
        <Dimmed mt="xs">{t('knowledge.showingTheFirst', { count: MAX_PASSAGES })}</Dimmed>
      )}
    </section>
  );
}
