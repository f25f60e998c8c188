import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery } from '../delivery.ts';
import { knowledgeFilter, knowledgeUse, passageItem, questionText } from '../knowledge.ts';

/** `POST /console/knowledge/search` */
const request = z.strictObject({
  query: questionText,
  top_k: z.int().min(1).max(50).default(8).describe('Maximum number of passages'),
  ...knowledgeFilter,
  ...delivery,
});

/** Searches passages. Runs on a worker, since the query needs an embedding. */
export const knowledgeSearch = defineKind({
  kind: 'knowledge.search',
  surface: 'knowledge',
  pool: 'text',
  label: 'Search',
  path: '/console/knowledge/search',
  route: {
    summary: 'Search your documents',
    description: 'Returns the passages that a question would be answered from: `passage` output items, best first.',
  },
  request,
  input: z.object({ query: z.string(), knowledge: knowledgeUse }),
  output: passageItem,
  subjectOf: ({ query }) => query,
  capability: null,
  component: 'search',
  timeoutMs: 60_000,
  batchable: false,
});
export type KnowledgeSearchInput = z.infer<typeof knowledgeSearch.input>;
