import type { AgentTool } from '../agent-tool.ts';

/** A tool of the platform, before it is wrapped. It may throw `ChorusError`s for the model. */
export type PlatformTool = Omit<AgentTool, 'origin' | 'binding'>;

/** The argument for a part of a long document. */
export const PAGES = {
  type: 'string',
  description: 'Which pages of a long document, such as `1-3`. Default: from the first',
};

export function stringArgument(args: Record<string, unknown>, name: string): string | undefined {
  const value = args[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
