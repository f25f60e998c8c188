import type { ArchiveUnit } from '@chorus/client';
import { PencilIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { QueryView } from '../../components/query-view.tsx';
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
  const close = () => navigate('/archive');
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
    <Drawer opened={unitId !== null} onClose={close} title={query.data?.title ?? 'Text'} position="right" size="xl">
      <QueryView query={query}>
        {(unit) => <Unit key={unit.id} unit={unit} onChange={changed} onDeleted={close} />}
      </QueryView>
    </Drawer>
  );
}

function Unit({
  unit,
  onChange,
  onDeleted,
}: {
  unit: ArchiveUnit;
  onChange: () => Promise<void>;
  onDeleted: () => void;
}) {
  const { client } = useScope();
  const { mayChange } = useRole();
  const [isEditing, editing] = useDisclosure();
  const gone = () => {
    onDeleted();
    onChange();
  };
  if (isEditing) return <UnitEditor unit={unit} onClose={editing.close} onChange={onChange} />;
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
            <Button variant="default" leftSection={<PencilIcon />} onClick={editing.open}>
              Edit
            </Button>
            <DeleteButton title="Delete this text?" onDelete={() => client.archive.delete(unit.id)} onDeleted={gone}>
              “{unit.title}” goes with all its revisions, for ever.
            </DeleteButton>
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            Its maker and admins may change it.
          </Text>
        )}
      </Group>
      <Markdown text={unit.content} />
      {unit.revision > 1 && <Revisions unitId={unit.id} revision={unit.revision} />}
    </Stack>
  );
}
