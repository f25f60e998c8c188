import { notifications } from '@mantine/notifications';
import { describeError } from './describe-error.ts';

/** Tells of what failed, beside what one does. */
export function notifyError(error: unknown): void {
  const { title, advice } = describeError(error);
  notifications.show({ color: 'red', title, message: advice });
}

/** Tells why something is not done, or not all of it. */
export function notifyRefusal(title: string, message: string): void {
  notifications.show({ color: 'yellow', title, message });
}

export function notifyDone(message: string): void {
  notifications.show({ color: 'teal', message });
}
