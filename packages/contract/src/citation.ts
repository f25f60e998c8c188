import { z } from 'zod';

/** A reference from an answer to its source. */
export const citationItem = z.object({
  type: z.literal('citation'),
  marker: z.int().describe('The answer contains it as `[marker]`'),
  entry_id: z.string().describe('`kno_…`'),
  chunk_id: z.string(),
  title: z.string().describe("The entry's title at the time"),
  heading_path: z.array(z.string()).max(100),
  page: z.int().nullable().describe('From 1; null for documents without pages'),
  quote: z.string().describe('Verbatim text of the chunk'),
  score: z.number().describe('Relevance to the question, 0 to 1'),
});
export type CitationItem = z.infer<typeof citationItem>;
