import type { ArchiveUnit } from '@chorus/client';
import { PencilIcon, TrashIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Problem } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { notifyError } from '../../data/notify.ts';
import { useScope } from '../../scope/scope-context.tsx';
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
  const { data, error, refetch } = useQuery({
    queryKey: [scopeKey, 'archive', 'one', unitId],
    queryFn: ({ signal }) => client.archive.get(String(unitId), { signal }),
    enabled: unitId !== null,
  });
  const changed = async () => {
    await refetch();
    onChange();
  };
  return (
    <Drawer opened={unitId !== null} onClose={close} title={data?.title ?? 'Text'} position="right" size="xl">
      {error && <Problem error={error} onRetry={refetch} />}
      {!data && !error && <Loading />}
      {data && <Unit key={data.id} unit={data} onChange={changed} onDeleted={close} />}
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
  const [isEditing, editing] = useDisclosure();
  const [isAsking, asking] = useDisclosure();
  const remove = useMutation({
    mutationFn: () => client.archive.delete(unit.id),
    onSuccess: () => {
      onDeleted();
      onChange();
    },
    onError: notifyError,
  });
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
        <Group gap="xs">
          <Button variant="default" leftSection={<PencilIcon />} onClick={editing.open}>
            Edit
          </Button>
          <Button
            variant="subtle"
            color="red"
            leftSection={<TrashIcon />}
            onClick={asking.open}
            loading={remove.isPending}
          >
            Delete
          </Button>
        </Group>
      </Group>
      <Markdown text={unit.content} />
      {unit.revision > 1 && <Revisions unitId={unit.id} revision={unit.revision} />}
      <ConfirmDialog
        opened={isAsking}
        onClose={asking.close}
        title="Delete this text?"
        confirm="Delete"
        onConfirm={() => remove.mutate()}
      >
        “{unit.title}” goes with all its revisions, for ever.
      </ConfirmDialog>
    </Stack>
  );
}
