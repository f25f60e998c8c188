import {
  ArrowRightStartOnRectangleIcon,
  ChevronUpIcon,
  CodeBracketIcon,
  UserCircleIcon,
} from '@heroicons/react/24/outline';
import { Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { basePath } from '../base-path.ts';
import { useAccount } from './account-gate.tsx';
import classes from './account-menu.module.css';

export function AccountMenu() {
  const { user, signOut } = useAccount();
  return (
    <Menu position="top-start" width="target">
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`Account: ${user.email}`}>
          <Group gap="xs" wrap="nowrap">
            <UserCircleIcon />
            <Text size="sm" truncate flex={1}>
              {user.email}
            </Text>
            <ChevronUpIcon />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`${basePath}/docs`} target="_blank" leftSection={<CodeBracketIcon />}>
          HTTP API
        </Menu.Item>
        <Menu.Item leftSection={<ArrowRightStartOnRectangleIcon />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
