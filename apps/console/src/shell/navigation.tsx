import {
  ArrowRightStartOnRectangleIcon,
  ChevronUpIcon,
  CodeBracketIcon,
  CommandLineIcon,
  ComputerDesktopIcon,
  MagnifyingGlassIcon,
  MoonIcon,
  SunIcon,
  UserCircleIcon,
} from '@heroicons/react/24/outline';
import {
  ActionIcon,
  Box,
  Group,
  type MantineColorScheme,
  Menu,
  NavLink,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useAccount } from '../account/account-gate.tsx';
import { Dimmed } from '../components/text.tsx';
import { useConnection } from '../data/live-events.tsx';
import { t } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';
import { basePath } from '../page-config.ts';
import { ScopeSwitcher } from '../scope/scope-switcher.tsx';
import { Keys } from './keys.tsx';
import { Logo } from './logo.tsx';
import classes from './navigation.module.css';
import { showOverlay } from './overlay.ts';
import { sections } from './sections.ts';
import { PALETTE_KEYS } from './shortcuts.ts';

/** @param onNavigate lets phones close the menu */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation();
  const current = location.split('/')[1];
  const { user } = useAccount();
  const shown = sections.filter(({ isForOperators }) => !isForOperators || user.operator);
  return (
    <>
      <div className={classes.head}>
        <Group gap="xs" mb="sm" visibleFrom="sm">
          <Logo />
          <Text fw={700} size="lg">
            Chorus
          </Text>
        </Group>
        <ScopeSwitcher onSwitch={onNavigate} />
      </div>
      <div className={classes.sections}>
        <NavLink
          component="button"
          label={t('common.search')}
          leftSection={<MagnifyingGlassIcon />}
          rightSection={
            <Box component="span" visibleFrom="sm">
              <Keys keys={PALETTE_KEYS} />
            </Box>
          }
          onClick={() => showOverlay('palette')}
          className={classes.link}
        />
        {shown.map(({ path, label, icon: Icon, load }) => (
          <NavLink
            key={path}
            component={Link}
            href={`/${path}`}
            label={t(label)}
            leftSection={<Icon />}
            active={current === path}
            aria-current={current === path ? 'page' : undefined}
            onClick={onNavigate}
            // Hovering usually precedes a click, which would report a failure.
            onPointerEnter={() => load().catch(() => undefined)}
            className={classes.link}
          />
        ))}
      </div>
      <div className={classes.foot}>
        <Group justify="space-between" mb="xs">
          <LiveIndicator />
          <ColorSchemeToggle />
        </Group>
        <AccountMenu />
      </div>
    </>
  );
}

function AccountMenu() {
  const { user, signOut } = useAccount();
  return (
    <Menu position="top-start" width="target">
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label={t('common.accountIs', { email: user.email })}>
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
          {t('common.httpApi')}
        </Menu.Item>
        <Menu.Item leftSection={<CommandLineIcon />} onClick={() => showOverlay('shortcuts')}>
          {t('common.keyboardShortcuts')}
        </Menu.Item>
        <Menu.Item leftSection={<ArrowRightStartOnRectangleIcon className="mirrored" />} onClick={signOut}>
          {t('common.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const states = {
  open: { label: 'common.live', hint: 'common.liveHint' },
  connecting: { label: 'common.connecting', hint: 'common.connectingHint' },
  waiting: { label: 'common.offline', hint: 'common.offlineHint' },
} as const;

function LiveIndicator() {
  const connection = useConnection();
  const { label, hint } = states[connection];
  return (
    <Tooltip label={t(hint)} multiline w={240} position="top-start">
      <Group gap={6} role="status" tabIndex={0} className={classes.indicator}>
        <span className={classes.dot} data-state={connection} />
        <Dimmed size="xs">{t(label)}</Dimmed>
      </Group>
    </Tooltip>
  );
}

const schemes: readonly { value: MantineColorScheme; label: MessageKey; icon: typeof SunIcon }[] = [
  { value: 'auto', label: 'common.system', icon: ComputerDesktopIcon },
  { value: 'light', label: 'common.light', icon: SunIcon },
  { value: 'dark', label: 'common.dark', icon: MoonIcon },
];

function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = schemes.find(({ value }) => value === colorScheme)?.icon ?? SunIcon;
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.colorScheme')}>
          <Icon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: ItemIcon }) => (
          <Menu.Item key={value} leftSection={<ItemIcon />} onClick={() => setColorScheme(value)}>
            {t(label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
