import { changeUnit, createUnit, listUnits, removeUnit, unitHistory } from '@chorus/archive';
import {
  type ArchiveUnit,
  archiveCreate,
  archiveExportQuery,
  archivePatch,
  archiveQuery,
  archiveRevision,
  archiveUnit,
  deletion,
  listOf,
  listQuery,
} from '@chorus/contract';
import { presentUnit, presentUnitRevision, sendExport } from '../archive/send-export.ts';
import { defineRoute } from '../define-route.ts';
import { expectedRevisions, tagRevision } from '../http/revision-tag.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { unit_id: 'archive' } as const;

const headers = {
  'If-Match':
    "The unit's `ETag`. If the unit has changed since, the response is 409 `conflict` and nothing is overwritten.",
};
const answerHeaders = { ETag: "The unit's revision, for `If-Match`." };

export const createArchiveUnit = defineRoute({
  method: 'post',
  path: '/archive/units',
  area: 'archive',
  summary: 'Archive a text or a snapshot',
  description:
    'Send `content` to archive your own text, or `from` to archive a session, message or knowledge entry as it is now. Later changes to the original do not affect the archive. ' +
    'Answers of a session that are still being generated are left out.',
  needs: 'write',
  body: archiveCreate,
  answer: archiveUnit,
  answerHeaders,
  refuses: ['not_found', 'session_locked'],
  handle: async ({ body, owner, services, response }) => {
    const record = await createUnit(services, owner, body);
    tagRevision(response, record.revision);
    return presentUnit(record);
  },
  keep: (answer): ArchiveUnit => ({ ...answer, content: '' }),
  renew: async ({ owner, services, response }, answer) => {
    const record = await services.database.archive.get(owner, answer.id);
    if (record === null) throw unknownRecord('archive');
    tagRevision(response, record.revision);
    return presentUnit(record);
  },
});

export const listArchiveUnits = defineRoute({
  method: 'get',
  path: '/archive/units',
  area: 'archive',
  summary: 'List archive units',
  description:
    'Newest first. With `q`, units that contain at least one of its words, best match first. Members of a workspace share its archive. A page may be shorter when its ' +
    'units are very long.',
  needs: 'read',
  query: archiveQuery,
  answer: listOf(archiveUnit),
  handle: async ({ query, owner, services }) => {
    const page = await listUnits(services, owner, query);
    return { object: 'list', ...page, data: page.data.map(presentUnit) };
  },
});

export const getArchiveUnit = defineRoute({
  method: 'get',
  path: '/archive/units/:unit_id',
  area: 'archive',
  summary: 'Get an archive unit',
  needs: 'read',
  params,
  answer: archiveUnit,
  answerHeaders,
  handle: async ({ params, owner, services, response }) => {
    const record = await services.database.archive.get(owner, params.unit_id);
    if (record === null) throw unknownRecord('archive');
    tagRevision(response, record.revision);
    return presentUnit(record);
  },
});

export const updateArchiveUnit = defineRoute({
  method: 'patch',
  path: '/archive/units/:unit_id',
  area: 'archive',
  summary: 'Update an archive unit',
  description: 'The previous content stays in its history. Editors can change their own units, admins all.',
  needs: 'write',
  params,
  body: archivePatch,
  answer: archiveUnit,
  answerHeaders,
  headers,
  refuses: ['conflict'],
  handle: async ({ params, body, owner, role, services, request, response }) => {
    const change = { patch: body, expected: expectedRevisions(request, 'a unit') };
    const record = await changeUnit(services.database, { owner, role }, params.unit_id, change);
    tagRevision(response, record.revision);
    return presentUnit(record);
  },
});

export const deleteArchiveUnit = defineRoute({
  method: 'delete',
  path: '/archive/units/:unit_id',
  area: 'archive',
  summary: 'Delete an archive unit',
  description:
    'Also deletes its history, but not the original it was made from. Editors can delete their own units, admins all.',
  needs: 'write',
  params,
  answer: deletion,
  headers,
  refuses: ['conflict'],
  handle: async ({ params, actor, owner, role, services, request }) => {
    const { archive, archiveRevisions } = services.database;
    const store = { archive, archiveRevisions, audit: services.accounts.audit };
    const expected = expectedRevisions(request, 'a unit');
    await services.deletions.carryOut({ kind: 'archive', id: params.unit_id, owner }, () =>
      removeUnit(store, { owner, role }, actor, params.unit_id, expected),
    );
    return { id: params.unit_id, object: 'archive.unit', deleted: true };
  },
});

export const listArchiveRevisions = defineRoute({
  method: 'get',
  path: '/archive/units/:unit_id/revisions',
  area: 'archive',
  summary: "List an archive unit's revisions",
  description: 'Oldest first; the last one is the current content. A page may be shorter when revisions are very long.',
  needs: 'read',
  params,
  query: listQuery,
  answer: listOf(archiveRevision),
  handle: async ({ params, query, owner, services }) => {
    const page = await unitHistory(services.database, owner, params.unit_id, query);
    return { object: 'list', ...page, data: page.data.map(presentUnitRevision) };
  },
});

export const exportArchive = defineRoute({
  method: 'get',
  path: '/archive/export',
  area: 'archive',
  summary: 'Export the archive',
  description:
    'As NDJSON: a line for each unit, oldest first. To resume an interrupted export, send `after` with the last id you received.',
  needs: 'read',
  query: archiveExportQuery,
  answer: archiveUnit,
  answerType: 'application/x-ndjson',
  endless: true,
  handle: async ({ query, context }) => {
    await sendExport(context, query);
    return undefined;
  },
});
