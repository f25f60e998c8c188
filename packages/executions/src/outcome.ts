import {
  ChorusError,
  type ConversationContext,
  type ErrorBody,
  type OutputItem,
  toErrorBody,
  type Usage,
} from '@chorus/contract';
import type { Outcome } from '@chorus/database';
import { NO_USAGE } from '@chorus/providers/usage';

export interface PartialOutcome {
  output?: OutputItem[];
  usage?: Usage;
  model?: string | null;
  provider?: string | null;
  context?: ConversationContext;
  warnings?: string[];
}

function outcomeOf(status: Outcome['status'], partial: PartialOutcome, error: ErrorBody | null): Outcome {
  return {
    status,
    output: partial.output ?? [],
    usage: partial.usage ?? NO_USAGE,
    error,
    model: partial.model ?? null,
    provider: partial.provider ?? null,
    finish_reason: null,
    ...(partial.context ? { context: partial.context } : {}),
    ...(partial.warnings ? { warnings: partial.warnings } : {}),
    finished_at: new Date(),
  };
}

/** Returns a failure with its partial output. Hides the cause of unknown errors. */
export function failedOutcome(error: unknown, requestId: string | null, partial: PartialOutcome = {}): Outcome {
  const known =
    error instanceof ChorusError ? error : new ChorusError('internal_error', 'Internal error. See the server log.');
  const { retryAfterS } = known;
  const body = {
    ...toErrorBody(known, requestId),
    ...(retryAfterS !== undefined && { retry_after_s: Math.ceil(retryAfterS) }),
  };
  return outcomeOf('failed', partial, body);
}

/** @param error why it was cancelled, unless a user did it */
export function cancelledOutcome(partial: PartialOutcome = {}, error: ErrorBody | null = null): Outcome {
  return outcomeOf('cancelled', partial, error);
}
