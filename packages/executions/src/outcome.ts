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

/** Adds up two usages. If one cost is unknown, so is the sum. */
export function sumUsage(one: Usage, other: Usage): Usage {
  const sum = (name: 'input_tokens' | 'output_tokens' | 'total_tokens' | (typeof DETAILS)[number]) =>
    (one[name] ?? 0) + (other[name] ?? 0);
  const details = DETAILS.filter((name) => one[name] !== undefined || other[name] !== undefined);
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
    cost_usd: sumCost(one.cost_usd, other.cost_usd),
    ...Object.fromEntries(details.map((name) => [name, sum(name)])),
    ...((one.estimated || other.estimated) && { estimated: true }),
  };
}

const DETAILS = ['cached_input_tokens', 'reasoning_tokens', 'audio_input_tokens', 'audio_output_tokens'] as const;

/** Rounds to 10⁻¹² USD to hide floating-point noise. */
function sumCost(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.round((one + other) * 1e12) / 1e12;
}
