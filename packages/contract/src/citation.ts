import { z } from 'zod';

/** Where something that an answer says stands in a source. */
export const citationItem = z.object({
  type: z.literal('citation'),
  marker: z.int().describe('The answer refers to it as `[marker]`'),
  entry_id: z.string().describe('`kno_…`'),
  chunk_id: z.string(),
  title: z.string().describe('Of the entry, as it was then'),
  heading_path: z.array(z.string()).max(100),
  page: z.int().nullable().describe('From 1; null in documents without pages'),
  quote: z.string().describe('Word for word as it stands in the chunk'),
  score: z.number().describe('How well the chunk fits the question, 0 to 1'),
});
export type CitationItem = z.infer<typeof citationItem>;
