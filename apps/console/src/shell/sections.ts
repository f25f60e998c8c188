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
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  page: LazyExoticComponent<ComponentType>;
}

export const sections: readonly Section[] = [
  {
    path: 'chat',
    label: 'Chat',
    icon: ChatBubbleLeftRightIcon,
    page: lazy(() => import('../features/chat/chat-page.tsx')),
  },
  {
    path: 'studio',
    label: 'Studio',
    icon: PhotoIcon,
    page: lazy(() => import('../features/studio/studio-page.tsx')),
  },
  {
    path: 'knowledge',
    label: 'Knowledge',
    icon: BookOpenIcon,
    page: lazy(() => import('../features/knowledge/knowledge-page.tsx')),
  },
  {
    path: 'archive',
    label: 'Archive',
    icon: ArchiveBoxIcon,
    page: lazy(() => import('../features/archive/archive-page.tsx')),
  },
  {
    path: 'voice',
    label: 'Voice',
    icon: MicrophoneIcon,
    page: lazy(() => import('../features/voice/voice-page.tsx')),
  },
  {
    path: 'jobs',
    label: 'Jobs',
    icon: QueueListIcon,
    page: lazy(() => import('../features/jobs/jobs-page.tsx')),
  },
  {
    path: 'settings',
    label: 'Settings',
    icon: Cog6ToothIcon,
    page: lazy(() => import('../features/settings/settings-page.tsx')),
  },
];
