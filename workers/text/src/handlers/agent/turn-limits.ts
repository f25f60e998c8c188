import { ChorusError } from '@chorus/contract';
import type { AgentState } from './agent-state.ts';
import type { AgentTurn } from './agent-turn.ts';

/** Most tokens of a turn, over all its steps. */
const MAX_TOKENS = 2_000_000;

/** Most calls of a turn. A record must hold all their results and files. */
const MAX_CALLS = 300;

/** Time that another step needs. */
const STEP_MS = 60_000;

/** A limit that leaves one answer without tools. */
export interface ReachedLimit {
  warning: string;
  /** For the model. */
  note: string;
}

const NOTE = 'No more calls are possible in this turn. Answer with what you have, and say what is missing.';

/**
 * Returns the limit that a turn has reached before its next step. Null: none.
 *
 * @throws {ChorusError} `cost_limit_reached`: another answer would cost more
 */
export function reachedLimit(
  state: AgentState,
  { agent, endsAt, response }: Pick<AgentTurn, 'agent' | 'endsAt' | 'response'>,
): ReachedLimit | null {
  if (state.steps === 0) return null;
  const { max_cost_usd: maxCost, max_steps: maxSteps } = agent;
  if (maxCost !== null && state.costUsd >= maxCost) {
    const cost = `$${state.costUsd.toFixed(4)}`;
    throw new ChorusError(
      'cost_limit_reached',
      `The turn has cost ${cost}, and \`max_cost_usd\` of its agent is ${maxCost}.`,
    );
  }
  const because = (limit: string) => ({
    warning: `The agent stopped calling tools: the turn reached ${limit}.`,
    note: NOTE,
  });
  if (state.steps >= maxSteps) return because(`its limit of ${maxSteps} ${maxSteps === 1 ? 'step' : 'steps'}`);
  if (response?.callsLeft(state.items) === 0) return because('`max_tool_calls`');
  const calls = state.items.filter(({ type }) => type === 'tool_call').length;
  if (calls >= MAX_CALLS) return because(`its limit of ${MAX_CALLS} calls`);
  if (state.usage.total_tokens >= MAX_TOKENS) return because(`its limit of ${MAX_TOKENS} tokens`);
  if (endsAt - performance.now() < STEP_MS) return because('its time limit');
  return null;
}
