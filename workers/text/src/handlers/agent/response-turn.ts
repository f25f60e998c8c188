import type { AgentTool } from '@chorus/agent-tools';
import {
  type AgentToolConfig,
  type AgentWork,
  allowsTool,
  asksForApproval,
  type ChatMessage,
  type ChatSettings,
  type ConversationItem,
  cacheKeyOf,
  callOutcome,
  chooseFunction,
  McpApprovals,
  type McpTool,
  mcpToolsOf,
  type NamedTool,
  type ResponseInput,
  responseSettings,
  type ToolCallItem,
  toChatMessages,
} from '@chorus/contract';
import { withoutOldest } from '../without-oldest.ts';
import type { AgentItem } from './agent-state.ts';
import { OfferedTools } from './offer-tools.ts';

export interface UnavailableTool {
  config: AgentToolConfig;
  reason: string;
}

/** Most steps of a response. OpenAI's clients limit calls instead. */
const MAX_STEPS = 50;

/** The MCP tools of a response: which may be called, which calls its caller must approve, and those it has approved. */
export class ResponseTurn {
  readonly #input: ResponseInput;
  readonly #servers: { tool: McpTool; id: string }[];
  #items: readonly ConversationItem[];

  constructor(input: ResponseInput) {
    this.#input = input;
    this.#items = input.items;
    const ids = input.servers ?? {};
    this.#servers = mcpToolsOf(input.options).flatMap((tool) => {
      const id = ids[tool.server_label];
      return id === undefined ? [] : [{ tool, id }];
    });
  }

  /** The caller's cache key for prompts with the same beginning. */
  get cacheKey(): string | undefined {
    return cacheKeyOf(this.#input.options);
  }

  /** Returns the tools to open, and the limits of the turn. */
  work(): AgentWork {
    const tools = this.#servers.map(({ id }) => ({ type: 'mcp' as const, server_id: id }));
    return { tools, max_steps: MAX_STEPS, approval: 'always', max_cost_usd: null };
  }

  /** Returns the tools that the request allows, besides the functions that the caller runs. */
  offer(opened: readonly AgentTool[]): OfferedTools {
    const { tool_choice: choice } = this.#input.options;
    const chosen = typeof choice === 'object' && choice?.type === 'allowed_tools' ? choice.tools : null;
    const functions = (responseSettings(this.#input.options).tools ?? []).filter(
      ({ function: { name } }) => chosen === null || chosen.some((one) => one.type !== 'mcp' && one.name === name),
    );
    const taken = new Set(functions.map((one) => one.function.name));
    const tools = opened.flatMap((tool) => {
      const server = this.#serverOf(tool);
      const isAllowed = server !== undefined && allowsTool(server, listed(tool));
      if (!isAllowed || (chosen !== null && !chosen.some((one) => isChosen(one, server, tool)))) return [];
      return [taken.has(tool.name) ? renamed(tool, server) : tool];
    });
    const needsApproval = (tool: AgentTool) => {
      const server = this.#serverOf(tool);
      return server === undefined || asksForApproval(server, listed(tool));
    };
    return new OfferedTools(tools, { needsApproval, functions });
  }

  /** Returns the tool lists that the conversation lacks, and the calls that the caller has approved. */
  firstItems(tools: OfferedTools, unavailable: readonly UnavailableTool[]): AgentItem[] {
    const known = new Set(this.#items.flatMap((item) => (item.type === 'mcp_list_tools' ? [item.server_label] : [])));
    const lists = this.#servers.flatMap(({ tool: { server_label }, id }): AgentItem[] => {
      const failed = unavailable.find(({ config }) => config.type === 'mcp' && config.server_id === id);
      if (known.has(server_label) && failed === undefined) return [];
      const own = tools.all().filter(({ origin }) => origin.id === id);
      return [{ type: 'mcp_list_tools', server_label, tools: own.map(presentTool), error: failed?.reason ?? null }];
    });
    const calls = new McpApprovals(this.#items).approved().map(({ id, server_label, name, arguments: args }) => {
      const mcp = { server_label, name, approval_request_id: id };
      const tool = tools.all().find((one) => {
        const own = this.mcpOf(one);
        return own?.server_label === server_label && own.name === name;
      });
      const open = { status: 'running' as const, result: null, started_at: null, finished_at: null };
      return { type: 'tool_call' as const, id, name: tool?.name ?? name, arguments: args, ...open, mcp };
    });
    return [...lists, ...calls];
  }

  /** Returns what a response shows of a tool. */
  mcpOf(tool: AgentTool): ToolCallItem['mcp'] {
    const server = this.#serverOf(tool);
    return server && { server_label: server.server_label, name: nameOf(tool) };
  }

  /** Returns the conversation before the response, with the results of approved calls. */
  messages(items: readonly AgentItem[]): ChatMessage[] {
    const outcomes = items.flatMap((item) => {
      const id = item.type === 'tool_call' ? item.mcp?.approval_request_id : undefined;
      return item.type === 'tool_call' && id !== undefined ? [[id, callOutcome(item)] as const] : [];
    });
    return toChatMessages(this.#items, new Map(outcomes));
  }

  /** Leaves out the oldest turns, if the request allows that. Returns false if nothing can be left out. */
  shorten(): boolean {
    const shorter = this.#input.options.truncation === 'auto' ? withoutOldest(this.#items) : null;
    this.#items = shorter ?? this.#items;
    return shorter !== null;
  }

  /** Returns how the model may choose among the tools. Only the first step can be forced to call one. */
  choice(tools: OfferedTools, steps: number): Pick<ChatSettings, 'tool_choice' | 'parallel_tool_calls'> {
    const { tool_choice: choice, parallel_tool_calls: parallel } = this.#input.options;
    const others = parallel == null ? {} : { parallel_tool_calls: parallel };
    if (choice == null) return others;
    if (choice === 'none' || (typeof choice === 'object' && choice.type === 'allowed_tools' && choice.mode === 'none'))
      return { ...others, tool_choice: 'none' };
    if (steps > 0) return others;
    if (typeof choice === 'string') return { ...others, tool_choice: choice };
    if (choice.type === 'allowed_tools') return { ...others, tool_choice: choice.mode };
    if (choice.type === 'function') return { ...others, tool_choice: chooseFunction(choice.name) };
    const names = tools.all().flatMap((tool) => {
      const server = this.#serverOf(tool);
      return server !== undefined && isChosen(choice, server, tool) ? [tool.name] : [];
    });
    const [name, ...more] = names;
    if (name === undefined) return others;
    if (more.length === 0) return { ...others, tool_choice: chooseFunction(name) };
    const allowed_tools = { mode: 'required' as const, tools: names.map(chooseFunction) };
    return { ...others, tool_choice: { type: 'allowed_tools', allowed_tools } };
  }

  /** Returns how many calls `max_tool_calls` leaves. */
  callsLeft(items: readonly AgentItem[]): number {
    const { max_tool_calls: most } = this.#input.options;
    const made = items.filter(({ type }) => type === 'tool_call').length;
    return most == null ? Number.POSITIVE_INFINITY : Math.max(0, most - made);
  }

  #serverOf({ origin }: AgentTool): McpTool | undefined {
    return this.#servers.find(({ id }) => origin.type === 'mcp' && origin.id === id)?.tool;
  }
}

const nameOf = ({ ownName, name }: AgentTool) => ownName ?? name;

const listed = (tool: AgentTool) => ({ name: nameOf(tool), readOnly: tool.effect === 'read' });

function presentTool(tool: AgentTool) {
  const { description, parameters, effect } = tool;
  return { name: nameOf(tool), description, input_schema: JSON.stringify(parameters), read_only: effect === 'read' };
}

/** Returns whether a choice names a tool of a server. */
function isChosen(choice: NamedTool, { server_label }: McpTool, tool: AgentTool): boolean {
  if (choice.type !== 'mcp' || choice.server_label !== server_label) return false;
  return choice.name == null || choice.name === nameOf(tool);
}

/** Returns a tool whose name differs from those of the caller's functions. */
function renamed(tool: AgentTool, { server_label }: McpTool): AgentTool {
  const name = `${server_label}_${tool.name}`.slice(0, 64);
  return { ...tool, name, ownName: nameOf(tool), run: (args, call) => tool.run(args, call) };
}
