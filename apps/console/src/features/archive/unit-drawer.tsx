import type { ArchiveUnit } from '@chorus/client';
import { PencilIcon } from '@heroicons/react/24/outline';
import { Accordion, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { DeleteButton } from '../../components/confirm-dialog.tsx';
import { SideDrawer } from '../../components/dialog.tsx';
import { Time } from '../../components/format.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { QueryView } from '../../components/placeholders.tsx';
import { CreatorNote } from '../../components/role-gate.tsx';
import { Dimmed, SectionTitle } from '../../components/text.tsx';
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { UnitEditor } from './unit-form.tsx';

export const sourceLabels: Readonly<Record<ArchiveUnit['source']['type'], MessageKey>> = {
  text: 'archive.text',
  session: 'components.conversation',
  message: 'archive.message',
  knowledge: 'components.document',
};

interface UnitDrawerProps {
  unitId: string | null;
  onChange: () => void;
}

export function UnitDrawer({ unitId, onChange }: UnitDrawerProps) {
  const { client, scopeKey } = useScope();
  const [, navigate] = useLocation();
  const [editedId, setEditedId] = useState<string | null>(null);
  const isEditing = unitId !== null && editedId === unitId;
  const stopEditing = () => setEditedId(null);
  const close = () => {
    stopEditing();
    navigate('/archive');
  };
  const query = useQuery({
    queryKey: [scopeKey, 'archive', 'one', unitId],
    queryFn: ({ signal }) => client.archive.get(String(unitId), { signal }),
    enabled: unitId !== null,
  });
  const changed = async () => {
    await query.refetch();
    onChange();
  };
  return (
    <SideDrawer
      opened={unitId !== null}
      onClose={close}
      title={query.data?.title ?? t('archive.entry')}
      position="right"
      size="xl"
      // Prevents losing edits by accident.
      closeOnEscape={!isEditing}
      closeOnClickOutside={!isEditing}
    >
      <QueryView query={query}>
        {(unit) =>
          isEditing ? (
            <UnitEditor unit={unit} onClose={stopEditing} onChange={changed} />
          ) : (
            <Unit unit={unit} onEdit={() => setEditedId(unit.id)} onChange={changed} onDeleted={close} />
          )
        }
      </QueryView>
    </SideDrawer>
  );
}

function Unit({
  unit,
  onEdit,
  onChange,
  onDeleted,
}: {
  unit: ArchiveUnit;
  onEdit: () => void;
  onChange: () => Promise<void>;
  onDeleted: () => void;
}) {
  const { client } = useScope();
  const { canChange } = useRole();
  const onGone = () => {
    onDeleted();
    onChange();
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap={6}>
          <Dimmed>
            {t(sourceLabels[unit.source.type])} · <Time at={unit.source.taken_at} />
          </Dimmed>
          {unit.tags.map((tag) => (
            <Badge key={tag} variant="default" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
        {canChange(unit.user_id) ? (
          <Group gap="xs">
            <Button variant="default" leftSection={<PencilIcon />} onClick={onEdit}>
              {t('common.edit')}
            </Button>
            <DeleteButton
              title={t('archive.deleteThisEntry')}
              onDelete={() => client.archive.delete(unit.id)}
              onDeleted={onGone}
            >
              {t('archive.deleteHint', { title: unit.title })}
            </DeleteButton>
          </Group>
        ) : (
          <CreatorNote action={t('components.actionEditOrDelete')} />
        )}
      </Group>
      <Markdown text={unit.content} />
      {unit.revision > 1 && <Revisions unitId={unit.id} revision={unit.revision} />}
    </Stack>
  );
}

function Revisions({ unitId, revision }: { unitId: string; revision: number }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'archive', 'revisions', unitId, revision],
    queryFn: ({ signal }) => Array.fromAsync(client.archive.revisions(unitId, { signal })),
  });
  if (!data) return null;
  return (
    <section>
      <SectionTitle mb="xs">{t('archive.earlierVersions')}</SectionTitle>
      <Accordion variant="contained" order={3}>
        {data.toReversed().map(({ revision: number, title, content, created_at }) => (
          <Accordion.Item key={number} value={String(number)}>
            <Accordion.Control>
              <Text size="sm">
                {title} · <Time at={created_at} />
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Markdown text={content} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}
