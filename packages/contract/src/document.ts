import { z } from 'zod';

/** Facts of a document that was read. The text itself is a separate `text` item. */
export const documentItem = z.object({
  type: z.literal('document'),
  title: z.string().nullable().describe("The document's own title, or its file name"),
  mime_type: z.string(),
  page_count: z.int().nullable().describe('Null for documents without pages'),
  total_chars: z.int().describe('Length of the text of the requested pages'),
  offset: z.int(),
  next_offset: z.int().nullable().describe('Where to continue. Null: the text ends here'),
});
export type DocumentItem = z.infer<typeof documentItem>;
