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
import { type ComponentType, type LazyExoticComponent, lazy, type SVGProps } from 'react';
import { withMessages } from '../i18n/i18n.ts';

/** A main area of the console: its navigation link and its page, which loads on demand. */
export interface Section {
  path: string;
  label: string;
  icon: Icon;
  load: () => Promise<Page>;
  page: LazyExoticComponent<ComponentType>;
  /** Whether only operators see its link. */
  isForOperators: boolean;
}

type Icon = ComponentType<SVGProps<SVGSVGElement>>;
type Page = { default: ComponentType };

export const sections: readonly Section[] = [
  section('chat', 'Chat', ChatBubbleLeftRightIcon, () => import('../features/chat/chat-page.tsx')),
  section('studio', 'Studio', PhotoIcon, () => import('../features/studio/studio-page.tsx')),
  section('knowledge', 'Knowledge', BookOpenIcon, () => import('../features/knowledge/knowledge-page.tsx')),
  section('archive', 'Archive', ArchiveBoxIcon, () => import('../features/archive/archive-page.tsx')),
  section('voice', 'Voice', MicrophoneIcon, () => import('../features/voice/voice-page.tsx')),
  section('jobs', 'Jobs', QueueListIcon, () => import('../features/jobs/jobs-page.tsx')),
  section(
    'settings',
    'Settings',
    Cog6ToothIcon,
    withMessages(['settings'], () => import('../features/settings/settings-page.tsx')),
  ),
  {
    ...section(
      'administration',
      'Administration',
      ShieldCheckIcon,
      () => import('../features/administration/administration-page.tsx'),
    ),
    isForOperators: true,
  },
];

/** Returns the section that a path belongs to, relative to `basePath`. */
export function sectionAt(location: string): Section | undefined {
  return sections.find(({ path }) => location.split('/')[1] === path);
}

function section(path: string, label: string, icon: Icon, load: () => Promise<Page>): Section {
  return { path, label, icon, load, page: lazy(load), isForOperators: false };
}
