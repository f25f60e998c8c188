import {
  ChorusError,
  createdShare,
  deletion,
  listOf,
  listQuery,
  MAX_SHARED_MESSAGES,
  memberShare,
  type Share,
  type SharedMessage,
  share,
  shareCreate,
  sharedMessage,
  sharedSession,
  sharesQuery,
  withCommas,
} from '@chorus/contract';
import { createShare as create, openShare, revokeShare, sharedMessages, showsImage } from '@chorus/conversations';
import type { ShareRecord } from '@chorus/database';
import { z } from 'zod';
import { contentDisposition, isInline } from '../assets/content-headers.ts';
import { sendContent } from '../assets/send-content.ts';
import { defineRoute, type OpenCall } from '../define-route.ts';
import { limitPages } from '../http/limit-rate.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

export const createShare = defineRoute({
  method: 'post',
  path: '/sessions/:session_id/shares',
  area: 'sessions',
  summary: 'Share a session by link',
  secret: true,
  description:
    'Anyone with the link sees the questions and answers up to `message_id` as they are now, with the quotes of their sources and their images, without signing in. ' +
    'Later messages and edits are not shown; deleted messages disappear. Documents, tools, and everything else of yours stay private. ' +
    `Only this response contains the \`token\` and the \`url\`. At most ${withCommas(MAX_SHARED_MESSAGES)} messages.`,
  needs: 'write',
  params: { session_id: 'session' },
  body: shareCreate,
  answer: createdShare,
  refuses: ['invalid_request', 'forbidden', 'payload_too_large'],
  handle: async ({ params, body, owner, actor, services, context }) => {
    if (!services.config.sharedLinks)
      throw new ChorusError('forbidden', 'Links to conversations are turned off on this server (SHARED_LINKS).');
    const { database, accounts } = services;
    const made = await create(database, owner, params.session_id, body, { actor, audit: accounts.audit });
    const url = `${context.addresses.baseUrl}/share/${made.token}`;
    return { ...(await toShare(services, made.share)), token: made.token, url };
  },
});

export const listShares = defineRoute({
  method: 'get',
  path: '/shares',
  area: 'sessions',
  summary: 'List your links to sessions',
  description: 'Newest first, without those that have expired.',
  needs: 'read',
  query: sharesQuery,
  answer: listOf(share),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.shares.list(owner, query);
    return { object: 'list', ...page, data: await Promise.all(page.data.map((one) => toShare(services, one))) };
  },
});

export const revokeShareLink = defineRoute({
  method: 'delete',
  path: '/shares/:share_id',
  area: 'sessions',
  summary: 'Revoke a link to a session',
  description: 'From then on, the link answers 404.',
  needs: 'write',
  params: { share_id: 'share' },
  answer: deletion,
  handle: async ({ params, owner, actor, services }) => {
    const { database, accounts } = services;
    await revokeShare(database, owner, params.share_id, { actor, audit: accounts.audit });
    return { id: params.share_id, object: 'share', deleted: true };
  },
});

export const listMemberShares = defineRoute({
  method: 'get',
  path: '/shares/members',
  area: 'sessions',
  summary: "List all members' links to sessions",
  description: 'For admins and owners of a workspace. Newest first, without those that have expired.',
  needs: 'manage',
  query: listQuery,
  answer: listOf(memberShare),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.shares.listOfScope(owner, query);
    const shown = page.data.map(async (one) => ({ ...(await toShare(services, one)), user_id: one.owner.user_id }));
    return { object: 'list', ...page, data: await Promise.all(shown) };
  },
});

export const revokeMemberShare = defineRoute({
  method: 'delete',
  path: '/shares/members/:share_id',
  area: 'sessions',
  summary: "Revoke any member's link to a session",
  description: 'For admins and owners of a workspace. From then on, the link answers 404.',
  needs: 'manage',
  params: { share_id: 'share' },
  answer: deletion,
  handle: async ({ params, owner, actor, services }) => {
    const { database, accounts } = services;
    await revokeShare(database, owner, params.share_id, { actor, audit: accounts.audit }, 'scope');
    return { id: params.share_id, object: 'share', deleted: true };
  },
});

const params = { token: 'shareToken' } as const;

export const getSharedSession = defineRoute({
  method: 'get',
  path: '/shared/:token',
  area: 'sessions',
  summary: 'Get a shared session',
  description: 'Without signing in. 404 if the link is unknown, revoked, or expired.',
  needs: 'none',
  params,
  answer: sharedSession,
  refuses: ['not_found', 'rate_limited'],
  handle: async (call) => {
    await limitPages(call.context);
    const { shared, session } = await sharedOf(call);
    const { created_at, expires_at } = shared;
    return {
      object: 'shared_session',
      title: session.title,
      shared_at: created_at.toISOString(),
      expires_at: expires_at?.toISOString() ?? null,
    };
  },
});

export const listSharedMessages = defineRoute({
  method: 'get',
  path: '/shared/:token/messages',
  area: 'sessions',
  summary: "List a shared session's messages",
  description: 'Without signing in. Oldest first: questions and answers as they were when they were shared.',
  needs: 'none',
  params,
  query: listQuery,
  answer: listOf(sharedMessage),
  refuses: ['not_found', 'rate_limited'],
  handle: async (call) => {
    await limitPages(call.context);
    const { shared } = await sharedOf(call);
    const page = await sharedMessages(call.services.database, shared, call.query);
    return {
      object: 'list',
      ...page,
      data: page.data.map(
        ({ role, citations, created_at, ...message }): SharedMessage => ({
          object: 'shared_message',
          ...message,
          role: role === 'user' ? 'user' : 'assistant',
          citations: citations.map(({ marker, title, heading_path, page, quote }) => {
            return { marker, title, heading_path, page, quote };
          }),
          created_at: created_at.toISOString(),
        }),
      ),
    };
  },
});

export const getSharedImage = defineRoute({
  method: 'get',
  path: '/shared/:token/images/:asset_id',
  area: 'sessions',
  summary: 'Get an image of a shared session',
  description: 'Without signing in. Other files of the session are not available.',
  needs: 'none',
  params: { ...params, asset_id: 'asset' },
  answer: z.string().meta({ format: 'binary' }),
  answerType: 'image/*',
  alsoAnswers: { 206: 'A part', 304: 'Not modified' },
  refuses: ['not_found', 'range_not_satisfiable'],
  handle: async (call) => {
    const { shared } = await sharedOf(call);
    const { services, context } = call;
    const { asset_id } = call.params;
    const record = (await showsImage(services.database, shared, asset_id))
      ? await services.assets.get(shared.owner, asset_id)
      : null;
    if (record === null || !isInline(record.mime_type)) throw unknownRecord('asset');
    return sendContent(context, {
      mimeType: record.mime_type,
      // Names of files are not shared.
      disposition: contentDisposition({ ...record, filename: null }),
      etag: `"${record.sha256}"`,
      sizeBytes: record.size_bytes,
      open: (range) => services.assets.read(record, range),
    });
  },
});

/** Returns the conversation that a link shares. All failures get the same answer. */
async function sharedOf({ params, response, services }: OpenCall<unknown, unknown, { readonly token: string }>) {
  response.setHeader('X-Robots-Tag', 'noindex');
  const { database, config } = services;
  const shared = config.sharedLinks ? await openShare(database, params.token) : null;
  const session = shared && (await database.sessions.get(shared.owner, shared.session_id));
  if (shared === null || session === null) throw unknownRecord('shareToken');
  return { shared, session };
}

async function toShare({ database }: Services, record: ShareRecord): Promise<Share> {
  const { id, owner, session_id, messages, created_at, expires_at } = record;
  return {
    id,
    object: 'share',
    session_id,
    title: (await database.sessions.get(owner, session_id))?.title ?? null,
    message_count: messages.length,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  };
}
