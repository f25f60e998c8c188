import { ChorusError } from '@chorus/contract';
import type { Outcome } from '@chorus/database';
import type { Refusal } from '@chorus/events';
import { cancelledOutcome, failedOutcome, type PartialOutcome } from '@chorus/executions';
import type { StopKind } from './handler.ts';

export interface EndedHandler {
  /** Why the attempt was stopped, if so. */
  stopped: StopKind | null;
  refusal: Refusal | null;
  /** Thrown by the handler. */
  error: unknown;
  partial: PartialOutcome;
  requestId: string | null;
  timeoutMs: number;
  /** Whether another attempt can continue without showing the user an error. */
  mayContinue: boolean;
}

/** Returns the outcome of an attempt whose handler threw, or null if this attempt must not end the job. */
export function outcomeOf(ended: EndedHandler): Outcome | null {
  const { stopped, refusal, error, partial, requestId, timeoutMs, mayContinue } = ended;
  switch (stopped) {
    case 'cancelled':
      return cancelledOutcome(partial);
    case 'timeout': {
      const late = new ChorusError('timeout', `The execution took longer than its ${timeoutMs} ms.`);
      return failedOutcome(late, requestId, partial);
    }
    case 'handback':
    case 'yield':
      return mayContinue ? null : lostOutcome(requestId, partial);
    case 'suspended':
      return null;
    case 'refused':
      return refusal === 'lost' ? lostOutcome(requestId, partial) : null;
    case null:
      // It waited for an execution that was cancelled, such as the chat turn of an interrupted voice turn.
      if (error instanceof ChorusError && error.code === 'cancelled') return cancelledOutcome(partial);
      return failedOutcome(error, requestId, partial);
    default:
      return stopped satisfies never;
  }
}

export function lostOutcome(requestId: string | null, partial: PartialOutcome): Outcome {
  const error = new ChorusError(
    'worker_lost',
    'The worker was lost after it had shown part of the answer. That part was kept.',
  );
  return failedOutcome(error, requestId, partial);
}
