import {
  deletion,
  listOf,
  MAX_FORK_MESSAGES,
  type Session,
  session,
  sessionCreate,
  sessionFork,
  sessionPatch,
  sessionQuery,
  withCommas,
} from '@chorus/contract';
import { changeSession, forkSession as fork, listSessions as list, removeSession } from '@chorus/conversations';
import type { SessionRecord } from '@chorus/database';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { session_id: 'session' } as const;

export const createSession = defineRoute({
  method: 'post',
  path: '/sessions',
  area: 'sessions',
  summary: 'Create a session',
  needs: 'write',
  body: sessionCreate,
  answer: session,
  handle: async ({ body, owner, agent, services }) =>
    toSession(
      await services.database.sessions.create(owner, {
        agent_id: agent?.id ?? null,
        title: body.title ?? null,
        pinned: body.pinned,
        starred: body.starred,
        temporary: body.temporary,
        metadata: body.metadata ?? {},
      }),
    ),
});

export const listSessions = defineRoute({
  method: 'get',
  path: '/sessions',
  area: 'sessions',
  summary: 'List your sessions',
  description:
    'Pinned sessions first, then the newest. Temporary ones are left out; archived ones are, too, except with `archived=true` or `q`. With `q`, sessions whose title has all its words first, then those with all of them in their title or in one message, in ' +
    'any form (phrases first), then those with any of them, best match first.',
  needs: 'read',
  query: sessionQuery,
  answer: listOf(session),
  handle: async ({ query, owner, services }) => {
    const page = await list(services, owner, query);
    return { object: 'list', ...page, data: page.data.map(toSession) };
  },
});

export const getSession = defineRoute({
  method: 'get',
  path: '/sessions/:session_id',
  area: 'sessions',
  summary: 'Get a session',
  needs: 'read',
  params,
  answer: session,
  handle: async ({ params, owner, services }) => {
    const record = await services.database.sessions.get(owner, params.session_id);
    if (record === null) throw unknownRecord('session');
    return toSession(record);
  },
});

export const updateSession = defineRoute({
  method: 'patch',
  path: '/sessions/:session_id',
  area: 'sessions',
  summary: 'Rename, pin, star, archive, move or keep a session',
  needs: 'write',
  params,
  body: sessionPatch,
  answer: session,
  refuses: ['invalid_request'],
  handle: async ({ params, body, owner, services }) => {
    const parts = { database: services.database, publishToFeed: services.eventLog.publishToFeed };
    return toSession(await changeSession(parts, owner, params.session_id, body));
  },
});

export const forkSession = defineRoute({
  method: 'post',
  path: '/sessions/:session_id/fork',
  area: 'sessions',
  summary: 'Fork a session',
  description:
    'Creates a session with copies of the messages up to `message_id`, with their citations, steps, and attachments, so that the conversation can continue in two ways. ' +
    `At most ${withCommas(MAX_FORK_MESSAGES)} messages. Earlier versions, histories, and executions stay with the original. The agent is that of \`X-Agent-ID\`, else that of the session. ` +
    '409 `session_locked` while one of the messages is being written.',
  needs: 'write',
  params,
  body: sessionFork,
  answer: session,
  refuses: ['invalid_request', 'session_locked', 'payload_too_large'],
  handle: async ({ params, body, owner, agent, services }) => {
    const made = await fork(services.database, owner, params.session_id, { ...body, agent_id: agent?.id });
    services.eventLog.publishToFeed(owner, { type: 'session.updated', session_id: made.id });
    return toSession(made);
  },
});

export const deleteSession = defineRoute({
  method: 'delete',
  path: '/sessions/:session_id',
  area: 'sessions',
  summary: 'Delete a session',
  description:
    'With its messages, and the content, events and audio of its executions; usage totals are kept. Archive units made from it remain, and so do generated files, unless the session is temporary: its files go too, if nothing else uses them. 409 `session_locked` while ' +
    'a turn runs: cancel it first.',
  needs: 'write',
  params,
  answer: deletion,
  handle: async ({ params, owner, actor, services }) => {
    const { database, deletions, accounts, eventLog } = services;
    const id = params.session_id;
    // Nothing of a temporary session remains.
    const assets = (await database.sessions.get(owner, id))?.temporary === true;
    await deletions.carryOut({ kind: 'session', id, owner, assets }, () =>
      removeSession(database, owner, id, { actor, audit: accounts.audit, publishToFeed: eventLog.publishToFeed }),
    );
    return { id, object: 'session', deleted: true };
  },
});

function toSession(record: SessionRecord): Session {
  return {
    id: record.id,
    object: 'session',
    title: record.title,
    pinned: record.pinned,
    starred: record.starred,
    archived: record.archived,
    temporary: record.temporary,
    folder_id: record.folder_id,
    agent_id: record.agent_id,
    message_count: record.message_count,
    active_execution_id: record.active_execution_id,
    metadata: record.metadata,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}
