import type { ArchiveUnit } from '@chorus/client';
import { PencilIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { DeleteButton } from '../../components/delete-button.tsx';
import { MakersNote } from '../../components/makers-note.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { Time } from '../../components/time.tsx';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { Revisions } from './revisions.tsx';
import { UnitEditor } from './unit-editor.tsx';

interface UnitDrawerProps {
  /** Null: closed. */
  unitId: string | null;
  onChange: () => void;
}

export function UnitDrawer({ unitId, onChange }: UnitDrawerProps) {
  const { client, scopeKey } = useScope();
  const [, navigate] = useLocation();
  const [edited, setEdited] = useState<string | null>(null);
  const isEditing = unitId !== null && edited === unitId;
  const endEdit = () => setEdited(null);
  const close = () => {
    endEdit();
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
      title={query.data?.title ?? 'Text'}
      position="right"
      size="xl"
      // What was written is not lost by a slip.
      closeOnEscape={!isEditing}
      closeOnClickOutside={!isEditing}
    >
      <QueryView query={query}>
        {(unit) =>
          isEditing ? (
            <UnitEditor unit={unit} onClose={endEdit} onChange={changed} />
          ) : (
            <Unit unit={unit} onEdit={() => setEdited(unit.id)} onChange={changed} onDeleted={close} />
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
  const { mayChange } = useRole();
  const gone = () => {
    onDeleted();
    onChange();
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap={6}>
          <Text size="sm" c="dimmed">
            {unit.source.type}, <Time at={unit.source.taken_at} />
          </Text>
          {unit.tags.map((tag) => (
            <Badge key={tag} variant="default" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
        {mayChange(unit.user_id) ? (
          <Group gap="xs">
            <Button variant="default" leftSection={<PencilIcon />} onClick={onEdit}>
              Edit
            </Button>
            <DeleteButton title="Delete this text?" onDelete={() => client.archive.delete(unit.id)} onDeleted={gone}>
              “{unit.title}” goes with all its revisions, for ever.
            </DeleteButton>
          </Group>
        ) : (
          <MakersNote maker="Who keeps it" what="change and delete it" />
        )}
      </Group>
      <Markdown text={unit.content} />
      {unit.revision > 1 && <Revisions unitId={unit.id} revision={unit.revision} />}
    </Stack>
  );
}
