import {
  ArchiveBoxIcon,
  BookOpenIcon,
  ChatBubbleLeftRightIcon,
  Cog6ToothIcon,
  MicrophoneIcon,
  PhotoIcon,
  QueueListIcon,
} from '@heroicons/react/24/outline';
import { type ComponentType, type LazyExoticComponent, lazy, type SVGProps } from 'react';

/** A part of the console: its place in the navigation, and its page, which is fetched when it is opened. */
export interface Section {
  /** The first step of its addresses. */
  path: string;
  label: string;
  icon: Icon;
  /** Fetches the page, once, however often it is called. */
  load: () => Promise<Page>;
  page: LazyExoticComponent<ComponentType>;
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
  section('settings', 'Settings', Cog6ToothIcon, () => import('../features/settings/settings-page.tsx')),
];

/** The part that an address below the console's own path belongs to. */
export function sectionAt(location: string): Section | undefined {
  return sections.find(({ path }) => location.split('/')[1] === path);
}

function section(path: string, label: string, icon: Icon, load: () => Promise<Page>): Section {
  return { path, label, icon, load, page: lazy(load) };
}
