import { ChatBubbleLeftRightIcon } from '@heroicons/react/24/outline';
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
];
