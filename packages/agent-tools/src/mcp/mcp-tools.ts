import { isDeepStrictEqual } from 'node:util';
import { type AgentTool, bindingOf, type ToolEffect } from '../agent-tool.ts';
import { redactor } from '../redact.ts';
import type { NamedTool } from '../tool-names.ts';
import { asResult, failed, MAY_HAVE_RUN } from '../tool-results.ts';
import { cleanLine, cleanSchema } from '../untrusted-text.ts';
import type { McpServer } from './mcp-connection.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpPool } from './mcp-pool.ts';
import type { ListedTool } from './mcp-schemas.ts';
import { presentResult, type SaveFile } from './present-result.ts';

const MAX_DESCRIPTION = 2_000;
/** Maximum text of all tools of a server, since each request to the model contains it. */
const MAX_TOTAL_CHARS = 200_000;

const CHANGED = 'The MCP server has changed or removed this tool since the turn began, so the call did not run.';

export interface McpToolParts {
  pool: Pick<McpPool, 'tools' | 'call'>;
  saveFile?: SaveFile | undefined;
  onError(error: unknown): void;
}

/** Returns the allowed tools of a server, except those that are too large. */
export async function mcpTools(
  parts: McpToolParts,
  server: McpServer & { slug: string },
  allowed: (name: string) => boolean,
  signal: AbortSignal,
): Promise<NamedTool[]> {
  const listed = await parts.pool.tools(server, signal);
  const tools: NamedTool[] = [];
  let chars = 0;
  for (const tool of listed) {
    const described = allowed(tool.name) ? describeTool(tool) : null;
    if (described === null) continue;
    chars += JSON.stringify(described).length;
    if (chars > MAX_TOTAL_CHARS) break;
    tools.push({ slug: server.slug, tool: runnable(parts, server, tool.name, described) });
  }
  return tools;
}

/** Returns the parts of a tool that the model and users see. Null: its schema is too large. */
export function describeTool(
  tool: ListedTool,
): Pick<AgentTool, 'name' | 'description' | 'parameters' | 'effect'> | null {
  const parameters = cleanSchema(tool.inputSchema);
  if (parameters === null) return null;
  const description = cleanLine(tool.description ?? tool.title ?? '', MAX_DESCRIPTION);
  return { name: tool.name, description, parameters, effect: effectOf(tool) };
}

function effectOf({ annotations }: ListedTool): ToolEffect {
  const { readOnlyHint, idempotentHint, destructiveHint } = annotations ?? {};
  // Destroying twice is like destroying once, but still needs approval.
  if (destructiveHint === true) return readOnlyHint === true ? 'read' : 'write';
  if (readOnlyHint === true) return 'read';
  return idempotentHint === true ? 'idempotent' : 'write';
}

function runnable(
  { pool, saveFile, onError }: McpToolParts,
  server: McpServer,
  /** The server's name for it. */
  name: string,
  described: NonNullable<ReturnType<typeof describeTool>>,
): AgentTool {
  const redact = redactor(Object.values(server.headers));
  const { effect } = described;
  const repeatable = effect !== 'write';
  const origin = { type: 'mcp', id: server.id };
  /** Whether the server's latest list has the same tool. Reading tools may get another description. */
  const isSame = async (signal: AbortSignal) => {
    const current = (await pool.tools(server, signal)).find((tool) => tool.name === name);
    if (current === undefined || effectOf(current) !== effect) return false;
    return effect === 'read' || isDeepStrictEqual(describeTool(current), described);
  };
  return {
    ...described,
    origin,
    binding: bindingOf({ ...described, origin }, `${server.url} ${name}`),
    run: (args, call) =>
      asResult(
        call.signal,
        async () => {
          try {
            if (!(await isSame(call.signal))) return failed(CHANGED);
            const key = effect === 'read' ? undefined : call.callId;
            const result = await pool.call(server, name, args, { signal: call.signal, repeatable, key });
            return await presentResult(result, { call, saveFile, redact });
          } catch (error) {
            if (error instanceof McpFailure) return failed(redact(error.message) + doubtOf(error, effect));
            throw error;
          }
        },
        onError,
      ),
  };
}

function doubtOf({ notRun, reported }: McpFailure, effect: ToolEffect): string {
  return notRun || reported || effect === 'read' ? '' : ` ${MAY_HAVE_RUN}`;
}
