import { callOutcome } from '../message-steps.ts';
import type { ConversationItem } from './input-items.ts';

export type McpCall = Extract<ConversationItem, { type: 'mcp_call' }>;
export type McpApprovalRequest = Extract<ConversationItem, { type: 'mcp_approval_request' }>;
type McpApprovalResponse = Extract<ConversationItem, { type: 'mcp_approval_response' }>;

/** The approval requests of a conversation, with their outcomes. */
export class McpApprovals {
  readonly #requests = new Map<string, McpApprovalRequest>();
  readonly #responses = new Map<string, McpApprovalResponse>();
  readonly #calls = new Map<string, McpCall>();

  constructor(items: readonly ConversationItem[]) {
    for (const item of items) {
      if (item.type === 'mcp_approval_request') this.#requests.set(item.id, item);
      else if (item.type === 'mcp_approval_response') this.#responses.set(item.approval_request_id, item);
      else if (item.type === 'mcp_call' && item.approval_request_id != null)
        this.#calls.set(item.approval_request_id, item);
    }
  }

  /** Returns the approval request of a call, if the conversation has it. */
  requestOf({ approval_request_id: id }: Pick<McpCall, 'approval_request_id'>): McpApprovalRequest | undefined {
    return id == null ? undefined : this.#requests.get(id);
  }

  /** Returns the requests without an answer. */
  unanswered(): McpApprovalRequest[] {
    return [...this.#requests.values()].filter(({ id }) => !this.#responses.has(id) && !this.#calls.has(id));
  }

  /** Returns the approved requests whose calls have not run yet. */
  approved(): McpApprovalRequest[] {
    return [...this.#requests.values()].filter(
      ({ id }) => this.#responses.get(id)?.approve === true && !this.#calls.has(id),
    );
  }

  /** Describes the outcome of a request to the model. Undefined: its call has not run. */
  outcomeOf({ id }: McpApprovalRequest): string | undefined {
    const call = this.#calls.get(id);
    if (call !== undefined) return outcomeOf(call);
    const response = this.#responses.get(id);
    if (response?.approve !== false) return undefined;
    return callOutcome({ status: 'denied', result: response.reason ?? '' });
  }
}

/** Describes to the model how a call ended. */
export function outcomeOf({ output, error }: Pick<McpCall, 'output' | 'error'>): string {
  if (error == null) return output ?? '';
  return callOutcome({ status: 'failed', result: typeof error === 'string' ? error : textOf(error) });
}

function textOf(error: Exclude<NonNullable<McpCall['error']>, string>): string {
  const { content, message } = error;
  if (Array.isArray(content))
    return content.map((part: unknown) => (isText(part) ? part.text : JSON.stringify(part))).join('\n');
  return typeof message === 'string' ? message : JSON.stringify(error);
}

function isText(part: unknown): part is { text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
