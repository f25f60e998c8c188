import type { LeastApproval, Owner } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { Outbound } from '@chorus/outbound';
import type { Logger } from '@chorus/runtime/log';
import { type AgentTool, bindingOf } from './agent-tool.ts';
import { type HttpToolParts, httpTools } from './http/http-tools.ts';
import { OperationsCache } from './http/operations-cache.ts';
import { McpFailure } from './mcp/mcp-failure.ts';
import { McpPool, type McpPoolOptions } from './mcp/mcp-pool.ts';
import { mcpTools } from './mcp/mcp-tools.ts';
import type { SaveFile } from './mcp/present-result.ts';
import type { PlatformParts } from './platform/platform-parts.ts';
import { platformTool } from './platform/platform-tool.ts';
import { redactor } from './redact.ts';
import { openMcpServer } from './registry/mcp-servers.ts';
import { openToolApi } from './registry/tool-apis.ts';
import type { ConfigOf, ToolConfig } from './tool-config.ts';
import { type NamedTool, nameTools, slugOf } from './tool-names.ts';
import { asResult } from './tool-results.ts';
import { countWithin, MAX_SERVER_ROOM, MAX_TURN_ROOM, without } from './tool-room.ts';

export interface ToolboxParts extends Omit<PlatformParts, 'outbound'> {
  database: Pick<Database, 'mcpServers' | 'toolApis'>;
  outbound: Pick<Outbound, 'request' | 'download'>;
  log: Logger;
  /** Stores files created by tools. Absent: results only describe them. */
  saveFile?: SaveFile;
  mcp?: Pick<McpPoolOptions, 'limits' | 'unusedMs' | 'listMs' | 'failureMs'>;
  http?: HttpToolParts['limits'];
}

/** A configured tool that cannot be used now, with a reason for the user. */
export interface UnavailableTool {
  config: ToolConfig;
  reason: string;
}

export interface OpenOptions {
  signal: AbortSignal;
  /** Called for each configured tool that is left out, since its server or record is missing. */
  onUnavailable?(tool: UnavailableTool): void;
}

/** Creates the tools of agents. One per process, since it keeps connections open. */
export interface Toolbox {
  /**
   * Returns the tools of an agent, in the order of their configuration, with valid and unique names. A server that does
   * not respond only removes its own tools.
   *
   * @throws {ChorusError} store_unavailable; the signal's reason
   */
  open(owner: Owner, configs: readonly ToolConfig[], options: OpenOptions): Promise<AgentTool[]>;
  close(): Promise<void>;
}

const withLeast = ({ min_approval: minApproval }: { min_approval: LeastApproval }, tools: NamedTool[]): NamedTool[] =>
  tools.map(({ slug, tool }) => ({ slug, tool: { ...tool, minApproval } }));

/** Reports why tools of a configured tool are left out. */
type Note = (reason: string) => void;

const leftOut = (where: string, count: number) =>
  `${where} has more tools than fit. ${count} are left out: choose fewer for the agent.`;

/** Why a configured tool cannot be used. */
class Unavailable extends Error {}

export function createToolbox(parts: ToolboxParts): Toolbox {
  const { database, outbound, log, saveFile } = parts;
  const pool = new McpPool({ outbound, log, ...parts.mcp });
  const operationsCache = new OperationsCache();
  const onError = (error: unknown) => log.error({ err: error }, 'a tool failed unexpectedly');

  async function openMcp(owner: Owner, config: ConfigOf<'mcp'>, signal: AbortSignal): Promise<NamedTool[]> {
    const found = await openMcpServer(database, owner, config.server_id);
    if (found === null) throw new Unavailable('The MCP server was deleted.');
    const { record, server } = found;
    if (!record.enabled) throw new Unavailable(`The MCP server ${record.name} is not enabled.`);
    const allowed = (name: string) =>
      (record.allowed_tools?.includes(name) ?? true) && (config.allowed_tools?.includes(name) ?? true);
    try {
      const named = { ...server, slug: slugOf(record.name) };
      return withLeast(record, await mcpTools({ pool, saveFile, onError }, named, allowed, signal));
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      throw new Unavailable(`${record.name}: ${redactor(Object.values(server.headers))(error.message)}`);
    }
  }

  async function openApi(owner: Owner, config: ConfigOf<'http'>, note: Note): Promise<NamedTool[]> {
    const found = await openToolApi(database, operationsCache, owner, config.api_id);
    if (found === null) throw new Unavailable('The API was deleted.');
    const { record, runnable } = found;
    if (!record.enabled) throw new Unavailable(`The API ${record.name} is not enabled.`);
    const chosen = runnable.operations.filter(({ name }) => config.operations?.includes(name) ?? true);
    const operations = chosen.slice(0, countWithin(chosen, MAX_SERVER_ROOM));
    if (operations.length < chosen.length) note(leftOut(record.name, chosen.length - operations.length));
    return withLeast(
      record,
      httpTools({ outbound, saveFile, onError, limits: parts.http }, { ...runnable, operations }),
    );
  }

  async function openOne(owner: Owner, config: ToolConfig, signal: AbortSignal, note: Note): Promise<NamedTool[]> {
    switch (config.type) {
      case 'mcp':
        return openMcp(owner, config, signal);
      case 'http':
        return openApi(owner, config, note);
      default: {
        const tool = platformTool(parts, config);
        if (tool === null) throw new Unavailable(`The tool ${config.type} is not available on this platform.`);
        const run: AgentTool['run'] = (args, call) => asResult(call.signal, () => tool.run(args, call), onError);
        const origin = { type: config.type };
        const binding = bindingOf({ ...tool, origin }, JSON.stringify(config));
        return [{ slug: null, tool: { ...tool, origin, binding, run } }];
      }
    }
  }

  return {
    open: async (owner, configs, { signal, onUnavailable }) => {
      const opened = configs.map(async (config) => {
        const note: Note = (reason) => onUnavailable?.({ config, reason });
        try {
          return { note, tools: await openOne(owner, config, signal, note) };
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof Unavailable)) throw error;
          note(error.message);
          return { note, tools: [] };
        }
      });
      let room = MAX_TURN_ROOM;
      const fitting = (await Promise.all(opened)).flatMap(({ note, tools }) => {
        const all = tools.map(({ tool }) => tool);
        const kept = tools.slice(0, countWithin(all, room));
        if (kept.length < tools.length) note(leftOut('The turn', tools.length - kept.length));
        room = without(room, all.slice(0, kept.length));
        return kept;
      });
      return nameTools(fitting);
    },
    close: () => pool.close(),
  };
}
