import { AppShell, Group, NavLink, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { AccountMenu } from '../account/account-menu.tsx';
import { ScopeSwitcher } from '../scope/scope-switcher.tsx';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import { LiveIndicator } from './live-indicator.tsx';
import { Logo } from './logo.tsx';
import classes from './navigation.module.css';
import { sections } from './sections.ts';

/** @param onNavigate told when a place was chosen, so that a phone can put the menu away */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation();
  const current = location.split('/')[1];
  return (
    <>
      <AppShell.Section className={classes.head}>
        <Group gap="xs" mb="sm" visibleFrom="sm">
          <Logo />
          <Text fw={700} size="lg">
            Chorus
          </Text>
        </Group>
        <ScopeSwitcher onSwitch={onNavigate} />
      </AppShell.Section>
      <AppShell.Section grow className={classes.sections}>
        {sections.map(({ path, label, icon: Icon, load }) => (
          <NavLink
            key={path}
            component={Link}
            href={`/${path}`}
            label={label}
            leftSection={<Icon />}
            active={current === path}
            aria-current={current === path ? 'page' : undefined}
            onClick={onNavigate}
            // Whoever points at it is about to open it; what can't be fetched now is told then.
            onPointerEnter={() => load().catch(() => undefined)}
            className={classes.link}
          />
        ))}
      </AppShell.Section>
      <AppShell.Section className={classes.foot}>
        <Group justify="space-between" mb="xs">
          <LiveIndicator />
          <ColorSchemeToggle />
        </Group>
        <AccountMenu />
      </AppShell.Section>
    </>
  );
}
