import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { entryItem, knowledgeCreate } from '../knowledge.ts';

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
    /** The scope already had this content, so there is nothing to do. Only batches run duplicates. */
    duplicate: z.boolean().optional(),
  }),
  output: entryItem,
  subjectOf: ({ entry_id }) => entry_id,
  capability: 'embedding',
  usesPlace: () => true,
  component: 'search',
  /** The time limit for processing an entry: a long document also waits for others in its worker. */
  timeoutMs: 21_600_000,
  entryOf: ({ entry_id }) => entry_id,
  comesInBulk: true,
  batchable: true,
});
export type KnowledgeIngestInput = z.infer<typeof knowledgeIngest.input>;
