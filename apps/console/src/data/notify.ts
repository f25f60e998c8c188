import { notifications } from '@mantine/notifications';
import { describeError } from './describe-error.ts';

/** Tells of what failed, beside what one does. */
export function notifyError(error: unknown): void {
  const { title, advice } = describeError(error);
  notifications.show({ color: 'red', title, message: advice });
}

export function notifyDone(message: string): void {
  notifications.show({ color: 'teal', message });
}
