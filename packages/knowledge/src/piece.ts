import { z } from 'zod';

/** A chunk of a document in object storage, as a line of JSON. The basis for indexing with any embedding model. */
export const piece = z.object({
  /** From 0, without gaps. */
  position: z.int(),
  text: z.string(),
  heading_path: z.array(z.string()),
  page: z.int().nullable(),
  kind: z.enum(['text', 'table', 'code']),
});
export type Piece = z.infer<typeof piece>;

export const documentFacts = z.object({
  version: z.literal(1),
  title: z.string().nullable(),
  page_count: z.int().nullable(),
  warnings: z.array(z.string()),
  size_bytes: z.int(),
  sha256: z.string(),
  mime_type: z.string(),
  piece_count: z.int(),
});
export type DocumentFacts = z.infer<typeof documentFacts>;

export function textToEmbed({ heading_path, text }: Pick<Piece, 'heading_path' | 'text'>): string {
  return heading_path.length === 0 ? text : `${heading_path.join(' > ')}\n\n${text}`;
}
