import type { Workspace } from '@chorus/client';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { RenameDialog } from '../../../components/rename-dialog.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';

/** The workspace that is shown now: its name, members and invitations. */
export default function WorkspacePanel() {
  const { client, scopeKey } = useScope();
  const workspace = useQuery({
    queryKey: [scopeKey, 'workspace'],
    queryFn: ({ signal }) => client.workspaces.get(scopeKey, { signal }),
  });
  return (
    <QueryView query={workspace}>
      {(data) => <Details workspace={data} onChange={() => workspace.refetch()} />}
    </QueryView>
  );
}

function Details({ workspace, onChange }: { workspace: Workspace; onChange: () => void }) {
  const { client, switchTo } = useScope();
  const queryClient = useQueryClient();
  const [isRenaming, renaming] = useDisclosure();
  const [isLeaving, leaving] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const { id, name, role } = workspace;
  const manages = role === 'admin' || role === 'owner';
  const gone = () => {
    switchTo({ type: 'personal' });
    queryClient.invalidateQueries({ queryKey: ['workspaces'] });
  };
  const rename = useMutation({
    mutationFn: (to: string) => client.workspaces.rename(id, to),
    onSuccess: () => {
      onChange();
      queryClient.invalidateQueries({ queryKey: ['workspaces'] });
    },
    onError: notifyError,
  });
  const leave = useMutation({ mutationFn: () => client.workspaces.leave(id), onSuccess: gone, onError: notifyError });
  const remove = useMutation({ mutationFn: () => client.workspaces.delete(id), onSuccess: gone, onError: notifyError });
  return (
    <Stack gap="xl" maw={860}>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <Text size="sm" c="dimmed">
            You are {role}.
          </Text>
        </div>
        <Group gap="xs">
          {manages && (
            <Button variant="default" onClick={renaming.open}>
              Rename
            </Button>
          )}
          <Button variant="default" onClick={leaving.open}>
            Leave
          </Button>
          {role === 'owner' && (
            <Button variant="subtle" color="red" onClick={deleting.open}>
              Delete
            </Button>
          )}
        </Group>
      </Group>
      <Members workspaceId={id} role={role} />
      {manages && <Invitations workspaceId={id} />}
      <RenameDialog opened={isRenaming} onClose={renaming.close} name={name} onRename={(to) => rename.mutate(to)} />
      <ConfirmDialog
        opened={isLeaving}
        onClose={leaving.close}
        title="Leave this workspace?"
        confirm="Leave"
        onConfirm={() => leave.mutate()}
      >
        Somebody else must invite you to come back.
      </ConfirmDialog>
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title="Delete this workspace?"
        confirm="Delete"
        onConfirm={() => remove.mutate()}
      >
        “{name}” goes with all that its members share in it, for ever.
      </ConfirmDialog>
    </Stack>
  );
}
