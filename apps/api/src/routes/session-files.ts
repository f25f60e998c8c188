import {
  importResult,
  MAX_IMPORTED,
  sessionExport,
  sessionExportQuery,
  sessionImport,
  withCommas,
} from '@chorus/contract';
import { exportJson, exportMarkdown } from '@chorus/conversations';
import { conversations } from '../account/account-archive.ts';
import { contentDisposition } from '../assets/content-headers.ts';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { readImport } from '../sessions/read-import.ts';
import { sendPieces } from '../sessions/send-pieces.ts';

export const exportSession = defineRoute({
  method: 'get',
  path: '/sessions/:session_id/export',
  area: 'sessions',
  summary: 'Export a session',
  description:
    'As a file: JSON, which `POST /sessions/import` reads, or Markdown (`text/markdown`). Contains the current messages, without earlier versions, steps of agents, and files.',
  needs: 'read',
  params: { session_id: 'session' },
  query: sessionExportQuery,
  answer: sessionExport,
  endless: true,
  handle: async ({ params, query, owner, services, context }) => {
    const { database } = services;
    const session = await database.sessions.get(owner, params.session_id);
    if (session === null) throw unknownRecord('session');
    const [type, extension, write] =
      query.format === 'json'
        ? (['application/json', 'json', exportJson] as const)
        : (['text/markdown', 'md', exportMarkdown] as const);
    const filename = `${session.title ?? 'Untitled'}.${extension}`;
    const disposition = contentDisposition({ id: session.id, mime_type: type, filename });
    await sendPieces(context, { type: `${type}; charset=utf-8`, disposition }, write(database, owner, session));
    return undefined;
  },
});

export const exportSessions = defineRoute({
  method: 'get',
  path: '/sessions/export',
  area: 'sessions',
  summary: 'Export all of your sessions',
  description: 'As NDJSON: a line for each session, in the form of `GET /sessions/{session_id}/export`.',
  needs: 'read',
  answer: sessionExport,
  answerType: 'application/x-ndjson',
  endless: true,
  handle: async ({ owner, services, context }) => {
    const file = {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="conversations.ndjson"',
    };
    await sendPieces(context, file, conversations(services, owner));
    return undefined;
  },
});

export const importSessions = defineRoute({
  method: 'post',
  path: '/sessions/import',
  area: 'sessions',
  summary: 'Import sessions',
  description:
    'Takes one conversation or a list of them, as Chorus, ChatGPT (`conversations.json`), LibreChat, or Open WebUI export them, up to `BATCH_LIMIT_BYTES` and ' +
    `${withCommas(MAX_IMPORTED)} conversations. Of several branches, the one that was shown last is imported. Texts are imported, files are not. A conversation is ` +
    'imported once; another import skips it. One that cannot be read is reported with what is wrong, and the others are imported.',
  needs: 'write',
  upload: { 'application/json': sessionImport },
  answer: importResult,
  refuses: ['invalid_request', 'payload_too_large', 'invalid_json'],
  handle: ({ context }) => readImport(context),
});
