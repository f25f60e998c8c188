import { z } from 'zod';

/** Page ranges: `3`, `1-5`, `1,4-6`. */
export const pageRanges = z
  .string()
  .regex(/^\s*\d{1,5}\s*(-\s*\d{1,5}\s*)?(,\s*\d{1,5}\s*(-\s*\d{1,5}\s*)?)*$/, {
    error: 'must be page numbers such as 1-3,7',
    abort: true,
  })
  .max(500)
  .refine((text) => boundsOf(text).every(([first, last]) => first >= 1 && last >= first), {
    error: 'must count from 1, with ascending ranges',
  });

/** Returns a function that checks whether the ranges contain any page from `first` to `last`. Null: all pages. */
export function pageTest(ranges: string | null): (first: number, last?: number) => boolean {
  if (ranges === null) return () => true;
  const bounds = boundsOf(ranges);
  return (first, last = first) => bounds.some(([from, to]) => last >= from && first <= to);
}

function boundsOf(ranges: string): [first: number, last: number][] {
  return ranges.split(',').map((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return [first, last];
  });
}

/** Facts about a document that was read. The text itself is a separate `text` item. */
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
