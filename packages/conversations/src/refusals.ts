import { ChorusError } from '@chorus/contract';

export function unknownSession(): ChorusError {
  return new ChorusError('not_found', 'Session not found.');
}

export function unknownMessage(): ChorusError {
  return new ChorusError('not_found', 'Message not found.');
}

/** Names the running execution, if it is known. */
export function sessionLocked(message: string, executionId: string | null): ChorusError {
  return new ChorusError('session_locked', message, {
    retryAfterS: 1,
    extra: { active_execution_id: executionId },
  });
}
