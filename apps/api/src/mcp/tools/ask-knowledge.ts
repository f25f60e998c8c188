import { type CitationItem, knowledgeAsk, knowledgeFilter } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { answerText } from '@chorus/executions';
import { z } from 'zod';
import { defineTool, type Shown, showWork, workFields } from '../define-tool.ts';

const { question, top_k, model } = knowledgeAsk.request.shape;

const citation = z.object({
  marker: z.int().describe('The answer contains it as `[marker]`'),
  entry_id: z.string().describe('The document, for read_document'),
  title: z.string(),
  heading_path: z.array(z.string()),
  page: z.int().nullable(),
  quote: z.string().describe('Verbatim text of the document'),
});

export const askKnowledge = defineTool({
  name: 'ask_knowledge',
  title: 'Ask documents',
  description:
    'Answers a question from the documents of this workspace or user only, with citations. ' +
    'If they have no answer, it says so and cites nothing.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({ question, top_k, ...knowledgeFilter, model }),
  output: z.object({
    ...workFields,
    answer: z.string().nullable().describe('With `[1]` for each citation'),
    model: z.string().nullable(),
    citations: z.array(citation),
  }),
  needs: () => 'run',
  start: async (args) => ({ order: { kind: 'knowledge.ask', request: { ...args, stream: false, metadata: {} } } }),
  show: (record) => showWork(record, () => showAnswer(record), { answer: null, model: record.model, citations: [] }),
});

function showAnswer({ output, model }: ExecutionRecord): Shown {
  const cited = output.flatMap((item) => (item.type === 'citation' ? [item] : []));
  const answer = answerText({ output });
  const sources = cited.length === 0 ? '' : `\n\nSources:\n${cited.map(describe).join('\n')}`;
  const citations = cited.map(({ marker, entry_id, title, heading_path, page, quote }) => ({
    marker,
    entry_id,
    title,
    heading_path,
    page,
    quote,
  }));
  return { content: [{ type: 'text', text: answer + sources }], fields: { answer, model, citations } };
}

function describe({ marker, title, page, entry_id, quote }: CitationItem): string {
  return `[${marker}] ${title}${page === null ? '' : `, page ${page}`} (${entry_id}): “${quote}”`;
}
