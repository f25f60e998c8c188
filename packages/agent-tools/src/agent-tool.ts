import { createHash } from 'node:crypto';
import type { AssetFacts, CitationItem, Owner, Usage } from '@chorus/contract';

/**
 * Says what a call may change. `read`: nothing. `idempotent`: the same call twice is like one. `write`: anything, so it
 * never runs twice.
 */
export type ToolEffect = 'read' | 'idempotent' | 'write';

/** A tool of an agent. Its name, description, and results may come from a third party: none is trusted. */
export interface AgentTool {
  /** Unique among the agent's tools: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** As its server or API calls it, if `name` differs. */
  readonly ownName?: string;
  /** The configured tool that it belongs to, such as `mcp` with its server. */
  readonly origin: { type: string; id?: string };
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  readonly effect: ToolEffect;
  /** Names what a call reaches and may change: see `bindingOf`. A call that was made for another one must not run. */
  readonly binding: string;
  /**
   * Runs a call. A failure that the model should see is a result with `isError`. Throws only when `signal` aborts.
   */
  run(args: Record<string, unknown>, call: ToolCallContext): Promise<ToolResult>;
}

export interface ToolCallContext {
  owner: Owner;
  executionId: string;
  /** Names this call, also when it is repeated: an idempotency key. */
  callId: string;
  signal: AbortSignal;
}

export interface ToolResult {
  /** The text for the model, plain or Markdown. */
  text: string;
  isError?: boolean;
  /** Passages that the answer may cite. */
  citations?: CitationItem[];
  /** Files that the call made. */
  assets?: AssetFacts[];
  /** Usage of models that the tool asked itself. */
  usage?: Usage;
  /** Cost of other executions, which are charged themselves. It counts for the limit of the turn. */
  costElsewhereUsd?: number;
}

/**
 * Returns the binding of a tool. Another server of the same name, a new address, or a new effect changes it.
 * @param target what a call reaches; may contain secrets
 */
export function bindingOf({ origin, effect }: Pick<AgentTool, 'origin' | 'effect'>, target: string): string {
  const parts = JSON.stringify([origin.type, origin.id ?? null, effect, target]);
  return createHash('sha256').update(parts).digest('base64url');
}
