import { z } from 'zod';
import { idSchema, recordId } from './ids.ts';
import { tag } from './knowledge.ts';
import { listQuery } from './list.ts';
import { metadata, storedMetadata } from './metadata.ts';
import { textUpTo } from './text-up-to.ts';

export const ARCHIVE_SOURCES = ['session', 'message', 'knowledge', 'text'] as const;
export type ArchiveSource = (typeof ARCHIVE_SOURCES)[number];

/** Maximum length of a unit, in characters. Longer snapshots are refused. */
export const MAX_ARCHIVE_TEXT = 3_000_000;

export const archiveUnit = z.object({
  id: z.string().describe('`arc_…`'),
  object: z.literal('archive.unit'),
  title: z.string(),
  content: z.string().describe('Markdown'),
  tags: z.array(z.string()).max(50),
  source: z
    .object({
      type: z.enum(ARCHIVE_SOURCES),
      id: z.string().nullable().describe('The original record. It may have changed or been deleted since'),
      taken_at: z.iso.datetime(),
    })
    .describe('`text`: not taken from a record'),
  metadata: storedMetadata,
  revision: z.int().describe('Increases with every change. `If-Match` takes it in quotes, or the `ETag`.'),
  user_id: z.string().describe('The creator'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ArchiveUnit = z.infer<typeof archiveUnit>;

const fields = {
  title: z.string().trim().min(1).max(300),
  content: textUpTo(MAX_ARCHIVE_TEXT),
  tags: z
    .array(tag)
    .max(50)
    .transform((all) => [...new Set(all)]),
  metadata,
};

/** The record to archive, in its current state. */
const origin = z.strictObject({ type: z.enum(['session', 'message', 'knowledge']), id: recordId });

/** `POST /archive/units` */
export const archiveCreate = z
  .strictObject({
    title: fields.title.optional().describe('Default: the title of the original, or the start of the content'),
    content: fields.content.optional().describe('Cannot be combined with `from`'),
    from: origin.optional(),
    tags: fields.tags.default([]),
    metadata: fields.metadata.default({}),
  })
  .refine(({ content, from }) => (content === undefined) !== (from === undefined), {
    path: ['content'],
    error: 'send exactly one of `content` and `from`',
  });
export type ArchiveCreate = z.infer<typeof archiveCreate>;

/** `PATCH /archive/units/{unit_id}` */
export const archivePatch = z
  .strictObject(fields)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, {
    error: `send at least one of ${Object.keys(fields).join(', ')}`,
  });
export type ArchivePatch = z.infer<typeof archivePatch>;

export const archiveQuery = listQuery.extend({
  tag: tag.optional(),
  source: z.enum(ARCHIVE_SOURCES).optional(),
  source_id: z.union([idSchema('session'), idSchema('message'), idSchema('knowledge')]).optional(),
  q: z.string().trim().min(1).max(200).optional().describe('Words of title and content; the best matches come first.'),
});
export type ArchiveQuery = z.infer<typeof archiveQuery>;

/** `GET /archive/export` */
export const archiveExportQuery = z.strictObject({
  after: idSchema('archive')
    .optional()
    .describe('The `id` of the last line you received; the export continues after it.'),
  tag: tag.optional(),
  source: z.enum(ARCHIVE_SOURCES).optional(),
});
export type ArchiveExportQuery = z.infer<typeof archiveExportQuery>;

/** One revision of a unit. */
export const archiveRevision = z.object({
  object: z.literal('archive.revision'),
  unit_id: z.string(),
  revision: z.int(),
  title: z.string(),
  content: z.string(),
  tags: z.array(z.string()).max(50),
  metadata: storedMetadata,
  user_id: z.string().describe('The author'),
  created_at: z.iso.datetime(),
});
export type ArchiveRevision = z.infer<typeof archiveRevision>;
