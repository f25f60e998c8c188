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
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';
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
    { id: 'new', label: t('common.newConversation'), icon: PencilSquareIcon, run: () => navigate('/chat') },
    {
      id: 'scheme',
      label: isDark ? t('palette.useLightColors') : t('palette.useDarkColors'),
      icon: isDark ? SunIcon : MoonIcon,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    {
      id: 'shortcuts',
      label: t('common.keyboardShortcuts'),
      icon: CommandLineIcon,
      keys: ['?'],
      run: () => showOverlay('shortcuts'),
    },
    { id: 'sign-out', label: t('common.signOut'), icon: ArrowRightStartOnRectangleIcon, run: () => void signOut() },
  ];
  const tabs = {
    administration: administrationTabs,
    studio: studioTabs,
    settings: scope.type === 'workspace' ? [workspaceTab, ...settingsTabs] : settingsTabs,
  } as Record<string, readonly { path: string; label: MessageKey }[] | undefined>;
  const shown = sections.filter(({ isForOperators }) => !isForOperators || user.operator);
  const pages = shown.flatMap(({ path, label: name, icon }): Command[] => {
    const section = t(name);
    const page = (at: string, label: string, hint?: string) => ({
      id: at,
      label,
      hint,
      icon,
      run: () => navigate(at),
    });
    const parts = tabs[path]?.map((tab) => page(`/${path}/${tab.path}`, t(tab.label), section)) ?? [];
    return [page(`/${path}`, section), ...parts];
  });
  return [
    { label: t('palette.actions'), commands: actions },
    { label: t('palette.pages'), commands: pages },
  ];
}
