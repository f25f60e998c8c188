import { z } from 'zod';
import { citationItem } from './citation.ts';
import { EXECUTION_STATUSES, usage } from './execution.ts';
import { listQuery, queryFlag } from './list.ts';
import { messageVoice } from './message-voice.ts';
import { textUpTo } from './text-up-to.ts';

export const message = z.object({
  id: z.string().describe('`msg_…`'),
  object: z.literal('message'),
  session_id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  revision: z.int().describe('Goes up with every edit and every undo. `If-Match` takes it in quotes, or the `ETag`.'),
  status: z
    .enum(EXECUTION_STATUSES)
    .describe("An assistant's message has its execution's status; a user's is `succeeded`"),
  execution_id: z.string().nullable(),
  superseded_by: z
    .string()
    .nullable()
    .describe('The execution that answered anew from before this message: it is no longer part of the conversation'),
  citations: z.array(citationItem).max(1_000).describe('Where what it says stands in the sources'),
  attachments: z.array(z.string()).max(8).describe('Ids of the assets that went with it'),
  voice: messageVoice.nullable().describe('Of an answer that was spoken'),
  usage: usage.nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Message = z.infer<typeof message>;

export const messagesQuery = listQuery.extend({
  order: z.enum(['asc', 'desc']).default('asc').describe('`asc`: the oldest first; `desc`: the newest.'),
  include_superseded: queryFlag.default(false).describe('Also the messages that a regeneration has replaced.'),
});
export type MessagesQuery = z.infer<typeof messagesQuery>;

export const messagePatch = z.strictObject({ content: textUpTo(1_000_000) });

export const REVISION_ACTIONS = ['created', 'edited', 'undone', 'restarted', 'interrupted'] as const;
export type RevisionAction = (typeof REVISION_ACTIONS)[number];

/** One row of a message's history. */
export const messageRevision = z.object({
  object: z.literal('message.revision'),
  message_id: z.string(),
  revision: z.int(),
  action: z
    .enum(REVISION_ACTIONS)
    .describe(
      '`restarted`: the turn ran again and the answer began anew; `interrupted`: it was spoken, and is cut to what was heard',
    ),
  content: z.string(),
  citations: z.array(citationItem).max(1_000).describe('Those that its content refers to'),
  restores: z.int().nullable().describe('With `undone`: the revision whose content came back'),
  user_id: z.string().nullable().describe('Who did it; null: the model'),
  execution_id: z.string().nullable().describe('The execution that wrote it, where the model did'),
  created_at: z.iso.datetime(),
});
export type MessageRevision = z.infer<typeof messageRevision>;
