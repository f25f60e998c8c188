import { PlusIcon } from '@heroicons/react/24/outline';
import { Button, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { type UseQueryResult, useMutation } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState, QueryView } from '../../components/placeholders.tsx';
import { CreatorNote } from '../../components/role-gate.tsx';
import { Dimmed } from '../../components/text.tsx';
import { t } from '../../i18n/i18n.ts';
import { useRole } from '../../scope/use-role.ts';

interface RecordCardsProps<T> {
  query: UseQueryResult<T[]>;
  hint: ReactNode;
  createLabel: string;
  empty: { title: string; icon: ComponentProps<typeof EmptyState>['icon']; hint: string; viewerHint: string };
  renderCard: (record: T) => ReactNode;
  renderDialog: (dialog: { record: T | 'new' | null; onClose: () => void; onSaved: () => void }) => ReactNode;
  deletion: { title: string; hint: string; run: (id: string) => Promise<unknown> };
}

/** Shows the records of the scope as cards. Users with permission create, edit, and delete them. */
export function RecordCards<T extends { id: string; name: string; user_id: string }>({
  query,
  hint,
  createLabel,
  empty,
  renderCard,
  renderDialog,
  deletion,
}: RecordCardsProps<T>) {
  const { isAtLeast, canChange } = useRole();
  const [edited, setEdited] = useState<T | 'new' | null>(null);
  const [deleting, setDeleting] = useState<T | null>(null);
  const remove = useMutation({ mutationFn: deletion.run, onSettled: () => query.refetch() });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Dimmed maw={560}>{hint}</Dimmed>
        {isAtLeast('editor') && (
          <Button leftSection={<PlusIcon />} onClick={() => setEdited('new')}>
            {createLabel}
          </Button>
        )}
      </Group>
      <QueryView query={query}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={empty.title} icon={empty.icon}>
              {isAtLeast('editor') ? empty.hint : empty.viewerHint}
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {all.map((record) => (
                <Card key={record.id} withBorder component="article" aria-label={record.name}>
                  <Text fw={600}>{record.name}</Text>
                  {renderCard(record)}
                  {canChange(record.user_id) ? (
                    <Group gap="xs" mt="auto">
                      <Button size="compact-sm" variant="default" onClick={() => setEdited(record)}>
                        {t('common.edit')}
                      </Button>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(record)}>
                        {t('common.delete')}
                      </Button>
                    </Group>
                  ) : (
                    <CreatorNote action={t('components.actionEditOrDelete')} />
                  )}
                </Card>
              ))}
            </SimpleGrid>
          )
        }
      </QueryView>
      {renderDialog({ record: edited, onClose: () => setEdited(null), onSaved: () => query.refetch() })}
      <ConfirmDialog
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={deletion.title}
        confirmLabel={t('common.delete')}
        onConfirm={() => deleting && remove.mutate(deleting.id)}
      >
        {deletion.hint}
      </ConfirmDialog>
    </>
  );
}
