export type { AgentTool, ToolCallContext, ToolEffect, ToolResult } from './agent-tool.ts';
export { checkTools } from './check-tools.ts';
export type { SaveFile } from './mcp/present-result.ts';
export type { ReadableDocument } from './platform/pages.ts';
export type { FindPassages, GenerateImage, PlatformParts, ReadFile } from './platform/platform-parts.ts';
export {
  changeMcpServer,
  createMcpServer,
  listMcpTools,
  presentMcpServer,
  removeMcpServer,
} from './registry/mcp-servers.ts';
export { changeToolApi, createToolApi, presentToolApi, removeToolApi } from './registry/tool-apis.ts';
export type { ToolConfig } from './tool-config.ts';
export type { OpenOptions, Toolbox, ToolboxParts, UnavailableTool } from './toolbox.ts';
