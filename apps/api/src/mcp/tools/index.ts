import type { ExecutionRecord } from '@chorus/database';
import { describeTool, type McpTool } from '../define-tool.ts';
import { askKnowledge } from './ask-knowledge.ts';
import { generateImage } from './generate-image.ts';
import { getJobOf } from './get-job.ts';
import { readDocument } from './read-document.ts';
import { searchKnowledge } from './search-knowledge.ts';

/** The tools that show executions, by kind. */
const BY_KIND: Partial<Record<string, McpTool>> = {
  'knowledge.search': searchKnowledge,
  'knowledge.ask': askKnowledge,
  'iris.image': generateImage,
  'knowledge.read': readDocument,
};

const getJob = getJobOf(({ kind }: ExecutionRecord) => BY_KIND[kind]);

const ALL = [searchKnowledge, askKnowledge, generateImage, readDocument, getJob];

export const TOOLS: ReadonlyMap<string, McpTool> = new Map(ALL.map((tool) => [tool.name, tool]));

let listed: { tools: ReturnType<typeof describeTool>[] } | undefined;

/** Returns the answer to `tools/list`. */
export function listTools() {
  listed ??= { tools: ALL.map(describeTool) };
  return listed;
}
