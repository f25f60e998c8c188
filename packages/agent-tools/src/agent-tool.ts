import { createHash } from 'node:crypto';
import type { AssetFacts, CitationItem, LeastApproval, Owner, Usage } from '@chorus/contract';

/**
 * How much a call may change. `read`: nothing. `idempotent`: a repeated call changes nothing more. `write`: anything,
 * so it never runs twice.
 */
export type ToolEffect = 'read' | 'idempotent' | 'write';

/** A tool of an agent. Its name, description, and results may come from a third party: none is trusted. */
export interface AgentTool {
  /** Unique among the agent's tools: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Its name at the server or API, if `name` differs. */
  readonly ownName?: string;
  /** The configured tool that it belongs to, such as `mcp` with its server. */
  readonly origin: { type: string; id?: string };
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  readonly effect: ToolEffect;
  /** Calls that need approval whatever the agent says. Default: none. */
  readonly minApproval?: LeastApproval;
  /** Identifies the target and effect of calls: see `bindingOf`. A call for another binding must not run. */
  readonly binding: string;
  /**
   * Runs a call. A failure that the model should see is a result with `isError`. Throws only when `signal` aborts.
   */
  run(args: Record<string, unknown>, call: ToolCallContext): Promise<ToolResult>;
}

export interface ToolCallContext {
  owner: Owner;
  executionId: string;
  /** Identifies this call and its repetitions: an idempotency key. */
  callId: string;
  signal: AbortSignal;
}

export interface ToolResult {
  /** The text for the model, plain or Markdown. */
  text: string;
  isError?: boolean;
  /** Passages that the answer may cite. */
  citations?: CitationItem[];
  /** Files created by the call. */
  assets?: AssetFacts[];
  /** Usage of models that the tool called itself. */
  usage?: Usage;
  /** Cost of other executions, which are charged separately. It counts toward the limit of the turn. */
  costElsewhereUsd?: number;
}

/**
 * Returns the binding of a tool. Another server with the same name, a new address, and a new effect, description, or
 * schema change it.
 * @param target The target of calls. May contain secrets.
 */
export function bindingOf(
  { origin, effect, description, parameters }: Pick<AgentTool, 'origin' | 'effect' | 'description' | 'parameters'>,
  target: string,
): string {
  const parts = JSON.stringify([origin.type, origin.id ?? null, effect, target, description, parameters]);
  return createHash('sha256').update(parts).digest('base64url');
}
