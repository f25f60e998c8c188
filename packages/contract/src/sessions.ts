import { z } from 'zod';
import { recordId } from './ids.ts';
import { listQuery, queryFlag } from './list.ts';
import { metadata, storedMetadata } from './metadata.ts';
import { MAX_STORED_TITLE } from './title.ts';

export const session = z.object({
  id: z.string().describe('`ses_…`'),
  object: z.literal('session'),
  title: z.string().nullable(),
  pinned: z.boolean(),
  starred: z.boolean(),
  archived: z
    .boolean()
    .describe('Lists leave archived sessions out by default. A pin or a new turn restores the session.'),
  temporary: z
    .boolean()
    .describe('Hidden from lists and searches. Erased an hour after its last turn, unless it is kept.'),
  folder_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  message_count: z.int(),
  active_execution_id: z.string().nullable().describe('The running turn'),
  metadata: storedMetadata,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime().describe('When its last turn began'),
});
export type Session = z.infer<typeof session>;

const title = z.string().trim().min(1).max(MAX_STORED_TITLE);

export const sessionCreate = z.strictObject({
  title: title.nullish(),
  pinned: z.boolean().default(false),
  starred: z.boolean().default(false),
  temporary: z.boolean().default(false),
  metadata: metadata.optional(),
});

/** A temporary session is erased this long after its last turn began. */
export const TEMPORARY_SESSION_MS = 3_600_000;

export const sessionPatch = z
  .strictObject({
    title: title.nullable().optional(),
    pinned: z.boolean().optional(),
    starred: z.boolean().optional(),
    archived: z.boolean().optional(),
    temporary: z.literal(false).optional().describe('Turns a temporary session into a regular one'),
    folder_id: recordId.nullable().optional().describe('`fld_…`: the folder to move it into; null: none'),
    metadata: metadata.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, {
    error: 'send at least one of title, pinned, starred, archived, temporary, folder_id, metadata',
  });
export type SessionPatch = z.infer<typeof sessionPatch>;

/** Messages that one fork may copy. */
export const MAX_FORK_MESSAGES = 2_000;

export const sessionFork = z.strictObject({
  message_id: recordId
    .optional()
    .describe('`msg_…`: the last message to copy. Default: the last one of the conversation.'),
  title: title.optional().describe("Default: the session's title with a note that this is a fork."),
});

export const sessionQuery = listQuery.extend({
  pinned: queryFlag.optional(),
  starred: queryFlag.optional(),
  archived: queryFlag.optional().describe('Default: `false`; with `q`, archived sessions are found, too.'),
  folder_id: recordId.optional().describe('`fld_…`: only sessions of this folder.'),
  q: z.string().trim().min(1).max(200).optional().describe('Words of titles and messages.'),
});
export type SessionQuery = z.infer<typeof sessionQuery>;
