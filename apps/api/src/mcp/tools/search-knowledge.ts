import { type KnowledgeChunk, knowledgeFilter, knowledgeSearch } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { z } from 'zod';
import { defineTool, type Shown, showWork, workFields } from '../define-tool.ts';

const { query, top_k } = knowledgeSearch.request.shape;

const passage = z.object({
  entry_id: z.string().describe('The document, for read_document'),
  title: z.string(),
  heading_path: z.array(z.string()),
  page: z.int().nullable(),
  score: z.number().nullable().describe('0 to 1'),
  text: z.string(),
});

export const searchKnowledge = defineTool({
  name: 'search_knowledge',
  title: 'Search documents',
  description:
    'Searches the documents of this workspace or user and returns the passages that fit a question best, with their ' +
    'document and page. Use read_document to read more of a document, and ask_knowledge for an answer with citations.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({ query: query.describe('A question, or words to find'), top_k, ...knowledgeFilter }),
  output: z.object({ ...workFields, passages: z.array(passage).describe('Best first') }),
  needs: () => 'run',
  start: async (args) => ({
    order: { kind: 'knowledge.search', request: { ...args, stream: false, metadata: {} } },
  }),
  show: (record) => showWork(record, () => showPassages(record), { passages: [] }),
});

function showPassages({ output }: ExecutionRecord): Shown {
  const found = output.flatMap((item) => (item.type === 'passage' ? [item.passage] : []));
  const text =
    found.length === 0 ? 'No passage fits. There may be no documents yet.' : found.map(describe).join('\n\n');
  const passages = found.map(({ entry_id, title, heading_path, page, score, text }) => ({
    entry_id,
    title,
    heading_path,
    page,
    score,
    text,
  }));
  return { content: [{ type: 'text', text }], fields: { passages } };
}

function describe({ title, heading_path, page, entry_id, text }: KnowledgeChunk, index: number): string {
  const place = [title, ...heading_path].join(' › ');
  return `[${index + 1}] ${place}${page === null ? '' : `, page ${page}`} (${entry_id})\n${text}`;
}
