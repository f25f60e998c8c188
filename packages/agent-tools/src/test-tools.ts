import { newId, type Owner } from '@chorus/contract';
import type { AgentTool, ToolCallContext } from './agent-tool.ts';

export const OWNER: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

export function callOf(changes: Partial<ToolCallContext> = {}): ToolCallContext {
  const { signal } = new AbortController();
  return { owner: OWNER, executionId: newId('job'), callId: 'call_1', signal, ...changes };
}

export function toolNamed(tools: readonly AgentTool[], name: string): AgentTool {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name} among ${tools.map((one) => one.name).join(', ')}`);
  return tool;
}
