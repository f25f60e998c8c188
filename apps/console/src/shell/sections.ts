import {
  ArchiveBoxIcon,
  BookOpenIcon,
  ChatBubbleLeftRightIcon,
  Cog6ToothIcon,
  MicrophoneIcon,
  PhotoIcon,
  QueueListIcon,
  ShieldCheckIcon,
} from '@heroicons/react/24/outline';
import type { ComponentType, SVGProps } from 'react';
import { type Preloadable, preloadable } from '../components/preloadable.tsx';
import { withMessages } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';

/** A main area of the console: its navigation link and its page, which loads on demand. */
export interface Section extends Preloadable {
  path: string;
  label: MessageKey;
  icon: Icon;
  /** Whether only operators see its link. */
  isForOperators: boolean;
}

type Icon = ComponentType<SVGProps<SVGSVGElement>>;
type Page = { default: ComponentType };

export const sections: readonly Section[] = [
  section(
    'chat',
    'common.chat',
    ChatBubbleLeftRightIcon,
    withMessages(['chat', 'modes'], () => import('../features/chat/chat-page.tsx')),
  ),
  section(
    'studio',
    'common.studio',
    PhotoIcon,
    withMessages(['studio', 'components'], () => import('../features/studio/studio-page.tsx')),
  ),
  section(
    'knowledge',
    'common.knowledge',
    BookOpenIcon,
    withMessages(['knowledge', 'components'], () => import('../features/knowledge/knowledge-page.tsx')),
  ),
  section(
    'archive',
    'common.archive',
    ArchiveBoxIcon,
    withMessages(['archive', 'components'], () => import('../features/archive/archive-page.tsx')),
  ),
  section(
    'voice',
    'common.voice',
    MicrophoneIcon,
    withMessages(['voice', 'components'], () => import('../features/voice/voice-page.tsx')),
  ),
  section(
    'jobs',
    'common.jobs',
    QueueListIcon,
    withMessages(['jobs', 'components'], () => import('../features/jobs/jobs-page.tsx')),
  ),
  section(
    'settings',
    'common.settings',
    Cog6ToothIcon,
    withMessages(['settings', 'components'], () => import('../features/settings/settings-page.tsx')),
  ),
  {
    ...section(
      'administration',
      'common.administration',
      ShieldCheckIcon,
      withMessages(
        ['administration', 'components'],
        () => import('../features/administration/administration-page.tsx'),
      ),
    ),
    isForOperators: true,
  },
];

/** Returns the section that a path belongs to, relative to `basePath`. */
export function sectionAt(location: string): Section | undefined {
  return sections.find(({ path }) => location.split('/')[1] === path);
}

function section(path: string, label: MessageKey, icon: Icon, load: () => Promise<Page>): Section {
  return { path, label, icon, ...preloadable(load), isForOperators: false };
}
