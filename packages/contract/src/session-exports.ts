import { z } from 'zod';
import { MAX_ATTACHMENTS } from './chat.ts';
import { citationItem } from './citation.ts';
import { listOf } from './list.ts';

/** Conversations that one request may import. */
export const MAX_IMPORTED = 1_000;

const exportedMessage = z.object({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  reasoning_content: z.string().nullable(),
  citations: z.array(citationItem).max(1_000),
  attachments: z.array(z.string()).max(MAX_ATTACHMENTS).describe('Ids of images (`ast_…`) and documents (`kno_…`)'),
  created_at: z.iso.datetime(),
});
export type ExportedMessage = z.infer<typeof exportedMessage>;

/** A conversation in a file. `POST /sessions/import` reads it. */
export const sessionExport = z.object({
  object: z.literal('session.export'),
  id: z.string().describe('`ses_…`'),
  title: z.string().nullable(),
  pinned: z.boolean(),
  starred: z.boolean(),
  archived: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  messages: z.array(exportedMessage).max(1_000_000),
});
export type SessionExport = z.infer<typeof sessionExport>;

export const sessionExportQuery = z.strictObject({
  format: z.enum(['json', 'markdown']).default('json').describe('`markdown` is for reading; it cannot be imported.'),
});

/** The result for one conversation of an import. */
export const importedSession = z.object({
  index: z.int().describe('Its place in the request, from 0'),
  status: z.enum(['imported', 'skipped', 'failed']).describe('`skipped`: it was imported before, or exists'),
  format: z.enum(['chorus', 'chatgpt', 'librechat', 'open-webui']).nullable().describe('Null: not recognized'),
  title: z.string().nullable(),
  session_id: z.string().nullable(),
  message_count: z.int(),
  missing_files: z.int().describe('Number of files in its messages, which are not imported'),
  error: z.object({ path: z.string(), message: z.string() }).nullable(),
});
export type ImportedSession = z.infer<typeof importedSession>;

export const sessionImport = z
  .union([z.array(z.unknown()).min(1).max(MAX_IMPORTED), z.looseObject({})])
  .describe(
    'One exported conversation, or a list of them, each in the form of Chorus, ChatGPT, LibreChat, or Open WebUI',
  );

export const importResult = listOf(importedSession, MAX_IMPORTED).extend({
  imported: z.int(),
  skipped: z.int(),
  failed: z.int(),
});
export type ImportResult = z.infer<typeof importResult>;
