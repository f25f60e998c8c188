import { CheckIcon, ChevronUpDownIcon, PlusIcon, UserIcon, UsersIcon } from '@heroicons/react/24/outline';
import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useAccount } from '../account/account-gate.tsx';
import { CreateWorkspace } from './create-workspace.tsx';
import { useScope } from './scope-context.tsx';
import { workspacesQuery } from './workspaces.ts';

/** Chooses whose things are shown. @param onSwitch told when another scope was chosen */
export function ScopeSwitcher({ onSwitch }: { onSwitch: () => void }) {
  const { client } = useAccount();
  const { scope, switchTo } = useScope();
  const [location, navigate] = useLocation();
  const { data: workspaces = [] } = useQuery(workspacesQuery(client));
  const [isCreating, creating] = useDisclosure();
  const chosen = scope.type === 'workspace' ? workspaces.find(({ id }) => id === scope.workspaceId) : undefined;
  const name = scope.type === 'personal' ? 'Personal' : (chosen?.name ?? 'Workspace');

  const choose = (next: typeof scope) => {
    switchTo(next);
    // What is open belongs to the scope before.
    navigate(`/${location.split('/')[1] ?? ''}`);
    onSwitch();
  };

  return (
    <>
      <Menu position="bottom-start" width="target">
        <Menu.Target>
          <Button
            variant="default"
            fullWidth
            justify="flex-start"
            styles={{ label: { flex: 1 } }}
            leftSection={scope.type === 'personal' ? <UserIcon /> : <UsersIcon />}
            rightSection={<ChevronUpDownIcon />}
            aria-label={`Scope: ${name}`}
          >
            {name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<UserIcon />}
            rightSection={scope.type === 'personal' && <CheckIcon />}
            onClick={() => choose({ type: 'personal' })}
          >
            Personal
          </Menu.Item>
          {workspaces.length > 0 && <Menu.Label>Workspaces</Menu.Label>}
          {workspaces.map(({ id, name: label }) => (
            <Menu.Item
              key={id}
              leftSection={<UsersIcon />}
              rightSection={chosen?.id === id && <CheckIcon />}
              onClick={() => choose({ type: 'workspace', workspaceId: id })}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<PlusIcon />} onClick={creating.open}>
            New workspace
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <CreateWorkspace
        opened={isCreating}
        onClose={creating.close}
        onCreated={(id) => choose({ type: 'workspace', workspaceId: id })}
      />
    </>
  );
}
