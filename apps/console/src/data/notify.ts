import { notifications } from '@mantine/notifications';
import { describeError } from './describe-error.ts';

export function notifyError(error: unknown): void {
  const { title, advice } = describeError(error);
  notifications.show({ color: 'red', title, message: advice });
}

export function notifyWarning(title: string, message: string): void {
  notifications.show({ color: 'yellow', title, message });
}

export function notifySuccess(message: string): void {
  notifications.show({ color: 'teal', message });
}
