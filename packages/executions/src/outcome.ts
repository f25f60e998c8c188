import {
  ChorusError,
  type ConversationContext,
  type ErrorBody,
  type OutputItem,
  toErrorBody,
  type Usage,
} from '@chorus/contract';
import type { Outcome } from '@chorus/database';

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

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

/** A failure with what had been made until then. An error without a code of the table says nothing of its cause. */
export function failedOutcome(error: unknown, requestId: string | null, partial: PartialOutcome = {}): Outcome {
  const known =
    error instanceof ChorusError
      ? error
      : new ChorusError('internal_error', 'Something went wrong here; the log has it.');
  return outcomeOf('failed', partial, toErrorBody(known, requestId));
}

export function cancelledOutcome(partial: PartialOutcome = {}): Outcome {
  return outcomeOf('cancelled', partial, null);
}
