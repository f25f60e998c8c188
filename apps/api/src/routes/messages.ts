import type { ServerResponse } from 'node:http';
import {
  deletion,
  isTerminal,
  listOf,
  listQuery,
  type Message,
  type MessageRevision,
  type MessageVersion,
  message,
  messagePatch,
  messageRating,
  messageRevision,
  messagesQuery,
  type Owner,
  reasoningFields,
} from '@chorus/contract';
import {
  editMessage,
  messageHistory,
  rateMessage,
  removeMessage,
  restoreVersion,
  undoEdit,
  versionsOf,
} from '@chorus/conversations';
import type { Database, MessageRecord, MessageRevisionRecord } from '@chorus/database';
import { messageOfEnd } from '@chorus/executions';
import { defineRoute } from '../define-route.ts';
import { expectedRevisions, tagRevision } from '../http/revision-tag.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

const params = { message_id: 'message' } as const;

const headers = {
  'If-Match':
    "The message's `ETag`. If the message has changed since, the response is 409 `conflict` and nothing is overwritten.",
};
const answerHeaders = { ETag: "The message's revision, for `If-Match`." };

export const listMessages = defineRoute({
  method: 'get',
  path: '/sessions/:session_id/messages',
  area: 'messages',
  summary: "List a session's messages",
  description: 'Oldest or newest first, by `order`.',
  needs: 'read',
  params: { session_id: 'session' },
  query: messagesQuery,
  answer: listOf(message),
  handle: async ({ params, query, owner, services }) => {
    const [session, page] = await Promise.all([
      services.database.sessions.get(owner, params.session_id),
      services.database.messages.listBySession(owner, params.session_id, query),
    ]);
    if (session === null) throw unknownRecord('session');
    return { object: 'list', ...page, data: await toMessages(services.database, owner, page.data) };
  },
});

export const getMessage = defineRoute({
  method: 'get',
  path: '/messages/:message_id',
  area: 'messages',
  summary: 'Get a message',
  needs: 'read',
  params,
  answer: message,
  answerHeaders,
  handle: async ({ params, owner, services, response }) => {
    const record = await services.database.messages.get(owner, params.message_id);
    if (record === null) throw unknownRecord('message');
    return tagged(response, services.database, record);
  },
});

export const updateMessage = defineRoute({
  method: 'patch',
  path: '/messages/:message_id',
  area: 'messages',
  summary: 'Edit a message',
  description:
    'The previous text stays in its history. The next turn of the session uses the new text. To answer it again, use `POST /chat/completions` with `regenerate_from`. ' +
    '409 `session_locked` while its turn runs.',
  needs: 'write',
  params,
  body: messagePatch,
  answer: message,
  answerHeaders,
  headers,
  handle: async ({ params, body, owner, services, request, response }) => {
    const edit = { content: body.content, expected: expectedRevisions(request, 'a message') };
    return changed(response, services, await editMessage(services.database, owner, params.message_id, edit));
  },
});

export const listMessageHistory = defineRoute({
  method: 'get',
  path: '/messages/:message_id/history',
  area: 'messages',
  summary: "List a message's revisions",
  description: 'Oldest first; the last one is the current text.',
  needs: 'read',
  params,
  query: listQuery,
  answer: listOf(messageRevision),
  handle: async ({ params, query, owner, services }) => {
    const page = await messageHistory(services.database, owner, params.message_id, query);
    return { object: 'list', ...page, data: page.data.map(toRevision) };
  },
});

export const undoMessageEdit = defineRoute({
  method: 'post',
  path: '/messages/:message_id/undo',
  area: 'messages',
  summary: 'Undo the last edit of a message',
  description:
    'One step back per call, until the first text: then 400. Each undo is added to the history. If a question was answered again since, the answer to the restored text ' +
    'becomes current again, unless a turn of the session runs.',
  needs: 'write',
  params,
  answer: message,
  answerHeaders,
  headers,
  refuses: ['invalid_request'],
  handle: async ({ params, owner, services, request, response }) => {
    const undo = { expected: expectedRevisions(request, 'a message') };
    return changed(response, services, await undoEdit(services.database, owner, params.message_id, undo));
  },
});

export const restoreAnswer = defineRoute({
  method: 'post',
  path: '/messages/:message_id/restore',
  area: 'messages',
  summary: 'Make an earlier version of an answer current again',
  description:
    'Brings an answer back that a regeneration has replaced, with the messages that followed it. If its question was edited since, the text that it answers comes back, ' +
    'too. The current version and what follows it leave the conversation, and can be restored in the same way. Does nothing for a current answer. ' +
    '409 `session_locked` while a turn of the session runs.',
  needs: 'write',
  params,
  answer: message,
  answerHeaders,
  refuses: ['invalid_request', 'session_locked'],
  handle: async ({ params, owner, services, response }) =>
    changed(response, services, await restoreVersion(services.database, owner, params.message_id)),
});

export const rateAnswer = defineRoute({
  method: 'post',
  path: '/messages/:message_id/rate',
  area: 'messages',
  summary: 'Rate an answer',
  description:
    'Stores what the user thinks of an answer. The message keeps its revision. Answering again starts without a rating.',
  needs: 'write',
  params,
  body: messageRating,
  answer: message,
  answerHeaders,
  refuses: ['invalid_request'],
  handle: async ({ params, body, owner, services, response }) =>
    changed(response, services, await rateMessage(services.database, owner, params.message_id, body.rating)),
});

export const deleteMessage = defineRoute({
  method: 'delete',
  path: '/messages/:message_id',
  area: 'messages',
  summary: 'Delete a message with its history',
  description:
    "Also deletes the executions of its turn with their events and audio, and the session's title if it came from the message. The other message of the turn " +
    'remains. 409 `session_locked` while its turn runs.',
  needs: 'write',
  params,
  answer: deletion,
  headers,
  handle: async ({ params, owner, actor, services, request }) => {
    const { database, deletions, accounts, eventLog } = services;
    const id = params.message_id;
    const options = { expected: expectedRevisions(request, 'a message'), actor, audit: accounts.audit };
    const session_id = (await database.messages.get(owner, id))?.session_id ?? null;
    await deletions.carryOut({ kind: 'message', id, owner, session_id }, () =>
      removeMessage(database, owner, id, options),
    );
    if (session_id !== null) eventLog.publishToFeed(owner, { type: 'session.updated', session_id });
    return { id: params.message_id, object: 'message', deleted: true };
  },
});

/**
 * Adds the status of an answer from its running execution; at most one in a session runs. An execution's end is
 * stored before its message's, so a read in between gets the final message.
 */
async function withStatus({ executions }: Pick<Database, 'executions'>, record: MessageRecord): Promise<MessageRecord> {
  if (isTerminal(record.status) || record.execution_id === null) return record;
  const execution = await executions.get(record.owner, record.execution_id);
  if (execution === null) return record;
  return { ...record, ...(isTerminal(execution.status) ? messageOfEnd(execution) : { status: execution.status }) };
}

/** Publishes that a message has changed, and returns it. */
function changed(
  response: ServerResponse,
  { database, eventLog }: Pick<Services, 'database' | 'eventLog'>,
  record: MessageRecord,
): Promise<Message> {
  eventLog.publishToFeed(record.owner, { type: 'session.updated', session_id: record.session_id });
  return tagged(response, database, record);
}

async function tagged(response: ServerResponse, database: Database, record: MessageRecord): Promise<Message> {
  const [shown] = await toMessages(database, record.owner, [record]);
  tagRevision(response, record.revision);
  return shown as Message;
}

async function toMessages(database: Database, owner: Owner, records: MessageRecord[]): Promise<Message[]> {
  const [current, versions] = await Promise.all([
    Promise.all(records.map((record) => withStatus(database, record))),
    versionsOf(database, owner, records),
  ]);
  return current.map((record) => toMessage(record, versions.get(record.id) ?? null));
}

function toMessage(record: MessageRecord, version: MessageVersion | null): Message {
  return {
    id: record.id,
    object: 'message',
    session_id: record.session_id,
    role: record.role,
    content: record.content,
    revision: record.revision,
    effective_revision: record.effective_revision,
    question_revision: record.question_revision ?? null,
    version,
    status: record.status,
    execution_id: record.execution_id,
    superseded_by: record.superseded_by,
    citations: record.citations,
    reasoning_content: reasoningFields(record.reasoning).reasoning_content ?? null,
    tool_calls: record.tool_calls.map(({ signature: _, ...call }) => call),
    steps: record.steps ?? [],
    warnings: record.warnings ?? [],
    tool_call_id: record.tool_call_id,
    voice: record.voice ?? null,
    attachments: record.attachments,
    model: record.model ?? null,
    duration_ms: record.duration_ms ?? null,
    usage: record.usage,
    rating: record.rating ?? null,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

function toRevision(record: MessageRevisionRecord): MessageRevision {
  return {
    object: 'message.revision',
    message_id: record.message_id,
    revision: record.revision,
    action: record.action,
    content: record.content,
    citations: record.citations,
    restores: record.restores,
    user_id: record.user_id,
    execution_id: record.execution_id,
    created_at: record.created_at.toISOString(),
  };
}
