import {
  ArrowRightStartOnRectangleIcon,
  CommandLineIcon,
  MoonIcon,
  PencilSquareIcon,
  SunIcon,
} from '@heroicons/react/24/outline';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useLocation } from 'wouter';
import { useAccount } from '../../account/account-gate.tsx';
import { administrationTabs } from '../../features/administration/administration-page.tsx';
import { settingsTabs, workspaceTab } from '../../features/settings/settings-page.tsx';
import { studioTabs } from '../../features/studio/studio-page.tsx';
import { useScope } from '../../scope/scope-context.tsx';
import { showOverlay } from '../overlay.ts';
import { sections } from '../sections.ts';
import type { Command, CommandGroup } from './command.ts';

/** Returns the actions and pages, which are always the same. */
export function useCommands(): CommandGroup[] {
  const [, navigate] = useLocation();
  const { user, signOut } = useAccount();
  const { scope } = useScope();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme() === 'dark';
  const actions: Command[] = [
    { id: 'new', label: 'New conversation', icon: PencilSquareIcon, run: () => navigate('/chat') },
    {
      id: 'scheme',
      label: isDark ? 'Use light colors' : 'Use dark colors',
      icon: isDark ? SunIcon : MoonIcon,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      icon: CommandLineIcon,
      keys: ['?'],
      run: () => showOverlay('shortcuts'),
    },
    { id: 'sign-out', label: 'Sign out', icon: ArrowRightStartOnRectangleIcon, run: () => void signOut() },
  ];
  const tabs = {
    administration: administrationTabs,
    studio: studioTabs,
    settings: scope.type === 'workspace' ? [workspaceTab, ...settingsTabs] : settingsTabs,
  } as Record<string, readonly { path: string; label: string }[] | undefined>;
  const shown = sections.filter(({ isForOperators }) => !isForOperators || user.operator);
  const pages = shown.flatMap(({ path, label: section, icon }): Command[] => {
    const page = (at: string, label: string, hint?: string) => ({
      id: at,
      label,
      hint,
      icon,
      run: () => navigate(at),
    });
    const parts = tabs[path]?.map((tab) => page(`/${path}/${tab.path}`, tab.label, section)) ?? [];
    return [page(`/${path}`, section), ...parts];
  });
  return [
    { label: 'Actions', commands: actions },
    { label: 'Pages', commands: pages },
  ];
}
