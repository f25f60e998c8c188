import { citationOf } from '@chorus/knowledge';
import type { Passage } from '@chorus/knowledge/answering';
import type { ToolResult } from '../agent-tool.ts';
import { failed } from '../tool-results.ts';
import { cleanLine, cleanResult, clip } from '../untrusted-text.ts';
import type { FindPassages } from './platform-parts.ts';
import { type PlatformTool, stringArgument } from './tool-arguments.ts';

const DEFAULT_PASSAGES = 8;
const MAX_PASSAGES = 20;
const MAX_QUERY = 4_000;
const MAX_QUOTE = 700;

/** Searches the scope's documents. Their tags come from the configuration, never from the model. */
export const knowledgeSearch = (findPassages: FindPassages, tags: readonly string[] | undefined): PlatformTool => ({
  name: 'knowledge_search',
  description:
    "Searches the user's documents and returns passages that match a question, best first, with the id, title, and " +
    'page of each. Put the number of a passage in brackets after a statement that it supports.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'A question or a few words' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_PASSAGES, description: `Default: ${DEFAULT_PASSAGES}` },
    },
    required: ['query'],
    additionalProperties: false,
  },
  effect: 'read',
  run: async (args, { owner, executionId, signal }): Promise<ToolResult> => {
    const question = stringArgument(args, 'query');
    if (question === undefined) return failed('The argument `query` is required.');
    const limit = Math.trunc(Number(args.limit ?? DEFAULT_PASSAGES)) || DEFAULT_PASSAGES;
    const top_k = Math.min(Math.max(limit, 1), MAX_PASSAGES);
    const query = { question: clip(question, MAX_QUERY), top_k, ...(tags !== undefined && { tags: [...tags] }) };
    const { passages, usage, warnings } = await findPassages(owner, query, { signal, executionId });
    const notes = warnings.map((warning) => `Note: ${warning}`);
    const shown = passages.map((passage, index) => present(passage, index + 1));
    const text = [...notes, ...(shown.length === 0 ? ['No passage matches.'] : shown)].join('\n\n');
    const citations = passages.map((passage, index) => citationOf(index + 1, passage, clip(passage.text, MAX_QUOTE)));
    return { text, usage, ...(citations.length > 0 && { citations }) };
  },
});

function present({ entry_id, title, heading_path, page, text }: Passage, number: number): string {
  const place = [
    `[${number}] ${cleanLine(title, 300)} (${entry_id}${page === null ? '' : `, page ${page}`})`,
    ...(heading_path.length === 0 ? [] : [`Section: ${cleanLine(heading_path.join(' > '), 500)}`]),
  ];
  return `${place.join('\n')}\n${cleanResult(text)}`;
}
