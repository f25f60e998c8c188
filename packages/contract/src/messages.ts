import { z } from 'zod';
import { MAX_ATTACHMENTS, toolCall } from './chat.ts';
import { citationItem } from './citation.ts';
import { EXECUTION_STATUSES, usage } from './execution.ts';
import { listQuery, queryFlag } from './list.ts';
import { messageStep } from './message-steps.ts';
import { messageVoice } from './message-voice.ts';
import { textUpTo } from './text-up-to.ts';

/** The place of an answer among all answers to the same question. */
export const messageVersion = z.object({
  question_id: z.string().describe('The message that all of them answer'),
  number: z.int().describe('From 1, oldest first'),
  count: z.int(),
  previous_id: z.string().nullable(),
  next_id: z.string().nullable(),
});
export type MessageVersion = z.infer<typeof messageVersion>;

export const MESSAGE_RATINGS = ['up', 'down'] as const;

/** `POST /messages/{message_id}/rate` */
export const messageRating = z.strictObject({
  rating: z.enum(MESSAGE_RATINGS).nullable().describe('Null removes the rating'),
});
export type MessageRating = z.infer<typeof messageRating>['rating'];

export const message = z.object({
  id: z.string().describe('`msg_…`'),
  object: z.literal('message'),
  session_id: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string().describe('With role `tool`: the result of a tool call'),
  revision: z.int().describe('Increases with every edit and undo. `If-Match` takes it in quotes, or the `ETag`.'),
  effective_revision: z.int().describe('The revision that `content` is from: an undo returns to an earlier one'),
  question_revision: z
    .int()
    .nullable()
    .describe(
      "The `effective_revision` of the question that this answers. If the question's differs, it has changed since. Null: unknown, or not an answer",
    ),
  version: messageVersion
    .nullable()
    .describe('Of an answer that was regenerated. `POST /messages/{message_id}/restore` makes another one current.'),
  status: z
    .enum(EXECUTION_STATUSES)
    .describe("An assistant's message has its execution's status; a user's is `succeeded`"),
  execution_id: z.string().nullable(),
  superseded_by: z
    .string()
    .nullable()
    .describe(
      'The execution that regenerated an earlier answer, or the version (`msg_…`) that was restored in its place: this message is no longer part of the conversation',
    ),
  citations: z.array(citationItem).max(1_000).describe('Sources of the answer'),
  reasoning_content: z.string().nullable().describe('Reasoning of the answer, as far as the provider shows it'),
  tool_calls: z
    .array(toolCall)
    .max(1_000)
    .describe('Calls that the answer requests. `tool_outputs` continues the turn.'),
  steps: z.array(messageStep).max(100).describe('Steps of an agent before its answer. `content` includes their text.'),
  warnings: z
    .array(z.string())
    .max(1_000)
    .describe('Problems that did not stop the answer, such as tools that were unavailable'),
  tool_call_id: z.string().nullable().describe('With role `tool`: the call that it answers'),
  attachments: z.array(z.string()).max(MAX_ATTACHMENTS).describe('Ids of images (`ast_…`) and documents (`kno_…`)'),
  voice: messageVoice.nullable().describe('For spoken answers'),
  model: z.string().nullable().describe('`provider/model` that wrote the answer. Null: unknown, or not an answer'),
  duration_ms: z.int().nullable().describe('Run time of the answer. Null: unknown, or not an answer'),
  usage: usage.nullable(),
  rating: z.enum(MESSAGE_RATINGS).nullable().describe("The user's rating of the answer"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Message = z.infer<typeof message>;

export const messagesQuery = listQuery.extend({
  order: z.enum(['asc', 'desc']).default('asc').describe('`asc`: oldest first; `desc`: newest first.'),
  include_superseded: queryFlag
    .default(false)
    .describe('Include messages that a regeneration, or a restored version, has replaced.'),
});
export type MessagesQuery = z.infer<typeof messagesQuery>;

export const messagePatch = z.strictObject({ content: textUpTo(1_000_000) });

export const REVISION_ACTIONS = ['created', 'edited', 'undone', 'restored', 'restarted', 'interrupted'] as const;
export type RevisionAction = (typeof REVISION_ACTIONS)[number];

/** A row of a message's history. */
export const messageRevision = z.object({
  object: z.literal('message.revision'),
  message_id: z.string(),
  revision: z.int(),
  action: z
    .enum(REVISION_ACTIONS)
    .describe(
      '`restored`: an answer to this text was restored; `restarted`: the turn ran again and the answer started over; `interrupted`: the spoken answer was cut to what was played',
    ),
  content: z.string(),
  citations: z.array(citationItem).max(1_000).describe('Citations in its content'),
  restores: z.int().nullable().describe('With `undone` and `restored`: the revision whose text is back'),
  user_id: z.string().nullable().describe('The editor; null: the model'),
  execution_id: z.string().nullable().describe('The execution that wrote it, if the model did'),
  created_at: z.iso.datetime(),
});
export type MessageRevision = z.infer<typeof messageRevision>;
