import { z } from 'zod';

export const folder = z.object({
  id: z.string().describe('`fld_…`'),
  object: z.literal('folder'),
  name: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Folder = z.infer<typeof folder>;

/** The body that creates a folder, or renames one. */
export const folderName = z.strictObject({ name: z.string().trim().min(1).max(100) });
export type FolderName = z.infer<typeof folderName>;
