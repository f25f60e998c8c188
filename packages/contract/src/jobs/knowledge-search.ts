import { z } from 'zod';
import { defineJob } from '../define-job.ts';
import { knowledgeUse } from '../knowledge.ts';

/** What a question would be answered from. It runs at a worker, since the query is embedded as documents are. */
export const knowledgeSearchJob = defineJob({
  kind: 'knowledge.search',
  surface: 'knowledge',
  pool: 'text',
  input: z.object({ query: z.string(), knowledge: knowledgeUse }),
  policy: { attempts: 1, timeoutMs: 60_000 },
});
export type KnowledgeSearchInput = z.infer<typeof knowledgeSearchJob.input>;
