import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { knowledgeCreate } from '../knowledge.ts';

/** Makes a revision of an entry searchable: fetch, parse, chunk, embed, index. */
export const knowledgeIngest = defineKind({
  kind: 'knowledge.ingest',
  surface: 'knowledge',
  pool: 'knowledge',
  label: 'Document',
  path: '/console/knowledge',
  request: knowledgeCreate,
  input: z.object({
    entry_id: z.string(),
    /** The revision to index. Skipped if there is a newer one. */
    revision: z.int(),
  }),
  output: z.never(),
  capability: 'embedding',
  timeoutMs: 7_200_000,
  entryOf: ({ entry_id }) => entry_id,
  batchable: false,
});
export type KnowledgeIngestInput = z.infer<typeof knowledgeIngest.input>;
