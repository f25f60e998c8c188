import { ChorusError } from '@chorus/contract';

export function unknownSession(): ChorusError {
  return new ChorusError('not_found', 'There is no such session.');
}

export function unknownMessage(): ChorusError {
  return new ChorusError('not_found', 'There is no such message.');
}

/** `message` says which turn runs; the execution, if it is still known, stands beside it. */
export function sessionLocked(message: string, executionId: string | null): ChorusError {
  return new ChorusError('session_locked', message, {
    retryAfterS: 1,
    extra: { active_execution_id: executionId },
  });
}
