export type { AgentTool, ToolCallContext, ToolEffect, ToolResult } from './agent-tool.ts';
