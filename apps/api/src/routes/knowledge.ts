import {
  ChorusError,
  deletion,
  execution,
  isExpected,
  type KnowledgeCreated,
  type KnowledgeEntry,
  knowledgeChunk,
  knowledgeCreate,
  knowledgeCreated,
  knowledgeEntry,
  knowledgeIngest,
  knowledgeList,
  knowledgePatch,
  knowledgeQuery,
  knowledgeUpload,
  knowledgeUploaded,
  listOf,
  listQuery,
  MAX_KNOWLEDGE_FILES,
  webhookUrl,
} from '@chorus/contract';
import { changeableEntry, changeFacts, deleteEntry, planRevision, presentEntry, readChunks } from '@chorus/knowledge';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { dispatchWork, joinExecution } from '../executes.ts';
import { expectedRevisions, tagRevision } from '../http/revision-tag.ts';
import { createEntry, createFromFiles } from '../knowledge/create-entries.ts';
import { created, entryOf } from '../knowledge/follow-ingestion.ts';
import { retryEntry } from '../knowledge/retry-entry.ts';
import { presentEntries } from '../present.ts';

const params = { entry_id: 'knowledge' } as const;
const headers = {
  'If-Match':
    "The entry's `ETag`. If the entry has changed since, the response is 409 `conflict` and nothing is overwritten.",
};
const answerHeaders = { ETag: "The entry's revision, for `If-Match`." };
const prefer = {
  Prefer: '`wait=<s>`: how long to wait for the ingestion, 0 to 300. By default, the response does not wait.',
};

export const createKnowledge = defineRoute({
  method: 'post',
  path: knowledgeIngest.path,
  area: 'knowledge',
  summary: 'Add a text or web page',
  description:
    'Responds at once with the entry and its `execution_id`. Follow the ingestion by its events, or stream this request. Content that already exists in the scope is detected ' +
    '(`duplicate`); for URLs, once the page has been downloaded.',
  needs: 'write',
  rateClass: 'executions',
  body: knowledgeCreate,
  answer: knowledgeCreated,
  streams: true,
  headers: prefer,
  refuses: ['overloaded', 'url_not_allowed'],
  handle: ({ body, context }) => createEntry(context, body),
  renew: async ({ context }, answer) => created(await entryOf(context, answer.id), answer.duplicate),
});

export const uploadKnowledge = defineRoute({
  method: 'post',
  path: '/console/knowledge/upload',
  area: 'knowledge',
  summary: 'Add files',
  description:
    `Up to ${MAX_KNOWLEDGE_FILES} files, each in a part \`file\` of the form: PDF, DOCX, PPTX, XLSX, ODT, EPUB, HTML, Markdown, text, CSV, images, and audio. Text in images, also inside documents, is recognized; audio and the sound of videos are transcribed, up to two hours. Each ` +
    'becomes an entry; the other fields apply to all. For a single file, the response is its entry with the `execution_id`, and may be streamed. For several, it is a list of entries and of the files that `failed`.',
  needs: 'write',
  rateClass: 'executions',
  file: { maxFiles: MAX_KNOWLEDGE_FILES },
  body: knowledgeUpload,
  answer: z.union([knowledgeCreated, knowledgeUploaded]),
  streams: true,
  headers: prefer,
  refuses: ['overloaded'],
  handle: ({ body, files, context }) => createFromFiles(context, files, body),
  renew: async ({ context }, answer) => {
    const refreshed = async ({ id, duplicate }: KnowledgeCreated) => created(await entryOf(context, id), duplicate);
    if (answer.object !== 'list') return refreshed(answer);
    return { ...answer, data: await Promise.all(answer.data.map(refreshed)) };
  },
});

export const listKnowledge = defineRoute({
  method: 'get',
  path: '/console/knowledge',
  area: 'knowledge',
  summary: 'List entries',
  description: 'Newest first, with the number of entries per status. Members of a workspace share its entries.',
  needs: 'read',
  query: knowledgeQuery,
  answer: knowledgeList,
  handle: async ({ query, owner, services, context }) => {
    const { knowledge } = services.database;
    const [page, counts] = await Promise.all([knowledge.list(owner, query), knowledge.counts(owner, query)]);
    return { object: 'list', ...page, data: await presentEntries(context, page.data), counts };
  },
});

export const getKnowledge = defineRoute({
  method: 'get',
  path: '/console/knowledge/:entry_id',
  area: 'knowledge',
  summary: 'Get an entry',
  needs: 'read',
  params,
  answer: knowledgeEntry,
  answerHeaders,
  handle: async ({ params, context, response }) => {
    const record = await entryOf(context, params.entry_id);
    tagRevision(response, record.revision);
    const [entry] = await presentEntries(context, [record]);
    return entry as KnowledgeEntry;
  },
});

export const listKnowledgeChunks = defineRoute({
  method: 'get',
  path: '/console/knowledge/:entry_id/chunks',
  area: 'knowledge',
  summary: "List an entry's chunks",
  description: 'The passages that searches use, in document order.',
  needs: 'read',
  params,
  query: listQuery,
  answer: listOf(knowledgeChunk),
  handle: async ({ params, query, context, services }) => {
    const record = await entryOf(context, params.entry_id);
    return { object: 'list', ...(await readChunks(services, record, query)) };
  },
});

export const updateKnowledge = defineRoute({
  method: 'patch',
  path: '/console/knowledge/:entry_id',
  area: 'knowledge',
  summary: 'Update an entry',
  description:
    'A new title or tags take effect at once. New `content` is ingested as a new revision. Until then, searches find the old one, then only the new one. Editors can change their own ' +
    'entries, admins all.',
  needs: 'write',
  params,
  body: knowledgePatch,
  answer: knowledgeEntry,
  answerHeaders,
  headers,
  refuses: ['conflict', 'overloaded'],
  handle: async ({ params, body, owner, role, services, context, request, response }) => {
    const { database, dispatcher } = services;
    const expected = expectedRevisions(request, 'an entry');
    const before = await changeableEntry(database, { owner, role }, params.entry_id);
    if (!isExpected(expected, before.revision)) throw otherRevision();
    const { content, format = 'markdown', webhook_url, ...facts } = body;
    if (content !== undefined) {
      const plan = planRevision({ ...services, keys: services.knowledgeKeys }, before, { content, format });
      const { record } = await dispatchWork(context, plan, { webhook_url }, { follow: false });
      context.executionId = record.id;
      // The earlier ingestion is obsolete.
      if (before.status === 'processing' && before.execution_id !== null)
        await dispatcher.cancel(owner, before.execution_id);
    }
    const hasFacts = Object.keys(facts).length > 0;
    const record = hasFacts ? await changeFacts(services, owner, before.id, facts) : await entryOf(context, before.id);
    tagRevision(response, record.revision);
    return presentEntry(record);
  },
});

export const deleteKnowledge = defineRoute({
  method: 'delete',
  path: '/console/knowledge/:entry_id',
  area: 'knowledge',
  summary: 'Delete an entry',
  description:
    'With its chunks, embeddings and file. After the response, no search finds it. Stored answers that cite it lose their excerpts. ' +
    'Archive units made from it remain. Editors can delete their own entries, admins all.',
  needs: 'write',
  params,
  answer: deletion,
  handle: async ({ params, actor, owner, role, services }) => {
    const { accounts, deletions, dispatcher, knowledgeKeys } = services;
    const parts = { ...services, keys: knowledgeKeys, audit: accounts.audit, cancel: dispatcher.cancel };
    const id = params.entry_id;
    const ingestion = (await services.database.knowledge.get(owner, id))?.execution_id ?? null;
    const execution_ids = ingestion === null ? [] : [ingestion];
    await deletions.carryOut({ kind: 'knowledge', id, owner, execution_ids }, () =>
      deleteEntry(parts, { owner, role }, actor, id),
    );
    return { id: params.entry_id, object: 'knowledge.entry', deleted: true };
  },
});

export const retryKnowledge = defineRoute({
  method: 'post',
  path: '/console/knowledge/:entry_id/retry',
  area: 'knowledge',
  summary: 'Retry a failed entry',
  description:
    'Continues where it failed, without parsing or embedding again. Creates a new execution with `retry_of`; requests while it runs get the same one.',
  needs: 'run',
  executes: joinExecution,
  params,
  body: z.strictObject({ stream: z.boolean().default(false), webhook_url: webhookUrl.optional() }),
  answer: execution,
  streams: true,
  headers: { Prefer: '`respond-async` or `wait=<s>`, as for any execution.' },
  refuses: ['job_not_retryable'],
  handle: ({ params, body, context }) => retryEntry(context, params.entry_id, body),
});

function otherRevision(): ChorusError {
  return new ChorusError('conflict', 'The entry has changed. Read it again, then retry.', { retryAfterS: 1 });
}
