import type { NotificationData } from '@mantine/notifications';
import { describeError } from './describe-error.ts';

let isUsed = false;
const listeners = new Set<() => void>();

/** Whether there has been a notification. */
export const notificationUse = {
  current: () => isUsed,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

export function notify(notification: NotificationData): void {
  isUsed = true;
  for (const listener of listeners) listener();
  // Without a network, the library may not load.
  import('../components/notifications.tsx').then(
    ({ notifications }) => notifications.show(notification),
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
