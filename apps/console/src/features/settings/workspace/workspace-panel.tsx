import type { Workspace } from '@chorus/client';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { RenameDialog } from '../../../components/dialog.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { roleLabel } from '../../../components/statuses.ts';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { BudgetButton } from '../budget/budget-button.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';

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
  const canManage = role === 'admin' || role === 'owner';
  const onGone = () => {
    switchTo({ type: 'personal' });
    queryClient.invalidateQueries({ queryKey: ['workspaces'] });
  };
  const rename = useMutation({
    mutationFn: (to: string) => client.workspaces.rename(id, to),
    onSuccess: () => {
      onChange();
      queryClient.invalidateQueries({ queryKey: ['workspaces'] });
    },
  });
  const leave = useMutation({ mutationFn: () => client.workspaces.leave(id), onSuccess: onGone });
  const remove = useMutation({
    mutationFn: () => client.workspaces.delete(id),
    onSuccess: onGone,
  });
  return (
    <Stack gap="xl" maw={860}>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <Dimmed>{t('settings.yourRole', { role: roleLabel(role) })}</Dimmed>
        </div>
        <Group gap="xs">
          {canManage && <BudgetButton workspaceId={id} />}
          {canManage && (
            <Button variant="default" onClick={renaming.open}>
              {t('common.rename')}
            </Button>
          )}
          <Button variant="default" onClick={leaving.open}>
            {t('settings.leave')}
          </Button>
          {role === 'owner' && (
            <Button variant="subtle" color="red" onClick={deleting.open}>
              {t('common.delete')}
            </Button>
          )}
        </Group>
      </Group>
      <Members workspaceId={id} role={role} />
      {canManage && <Invitations workspaceId={id} />}
      <RenameDialog opened={isRenaming} onClose={renaming.close} name={name} onRename={(to) => rename.mutate(to)} />
      <ConfirmDialog
        opened={isLeaving}
        onClose={leaving.close}
        title={t('settings.leaveThisWorkspace')}
        confirmLabel={t('settings.leave')}
        onConfirm={() => leave.mutate()}
      >
        {t('settings.leaveHint')}
      </ConfirmDialog>
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title={t('settings.deleteThisWorkspace')}
        confirmLabel={t('common.delete')}
        onConfirm={() => remove.mutate()}
      >
        {t('settings.deleteWorkspaceHint', { name })}
      </ConfirmDialog>
    </Stack>
  );
}
