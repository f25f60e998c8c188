import type { NotificationData } from '@mantine/notifications';
import { describeError } from './describe-error.ts';

type Library = typeof import('../components/notifications.tsx');

let loaded: Library | null = null;
const listeners = new Set<() => void>();

/** The notification library, once it has been used. */
export const notificationLibrary = {
  current: () => loaded,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

export const loadNotifications = () => import('../components/notifications.tsx');

export function notify(notification: NotificationData): void {
  loadNotifications().then(
    (library) => {
      loaded = library;
      for (const listener of listeners) listener();
      library.notifications.show(notification);
    },
    // Without a network, it may not load.
    () => undefined,
  );
}

export function notifyError(error: unknown): void {
  const { title, advice } = describeError(error);
  notify({ color: 'red', title, message: advice });
}

export function notifyWarning(title: string, message: string): void {
  notify({ color: 'yellow', title, message });
}

export function notifySuccess(message: string): void {
  notify({ color: 'teal', message });
}
