import { z } from 'zod';
import { defineJob } from '../define-job.ts';

/** Makes a revision of an entry searchable: fetch, parse, chunk, embed, index. */
export const knowledgeIngest = defineJob({
  kind: 'knowledge.ingest',
  surface: 'knowledge',
  pool: 'knowledge',
  input: z.object({
    entry_id: z.string(),
    /** The one that is to be made searchable; nothing is done for one that is not the newest any more. */
    revision: z.int(),
  }),
  policy: { attempts: 1, timeoutMs: 7_200_000 },
});
export type KnowledgeIngestInput = z.infer<typeof knowledgeIngest.input>;
