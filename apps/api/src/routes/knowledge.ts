import {
  ChorusError,
  deletion,
  execution,
  type KnowledgeCreated,
  knowledgeChunk,
  knowledgeCreate,
  knowledgeCreated,
  knowledgeEntry,
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
import {
  changeableEntry,
  changeFacts,
  deleteEntry,
  planRetry,
  planRevision,
  presentEntry,
  readChunks,
} from '@chorus/knowledge';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { createEntry, createFromFiles } from '../delivery/create-entries.ts';
import { deliver, follows } from '../delivery/deliver.ts';
import { readPreference } from '../delivery/prefer.ts';
import { joinRetry, retryOnce } from '../delivery/retry-once.ts';
import { beginIngestion, created, entryOf, runningRetry } from '../delivery/run-ingestion.ts';
import { expectedRevision, tagRevision } from '../http/revision-tag.ts';

const params = { entry_id: 'knowledge' } as const;
const headers = { 'If-Match': 'The `ETag` of the entry as you know it; 409 where it has another revision by now.' };
const answerHeaders = { ETag: 'The revision, for `If-Match`.' };
const prefer = {
  Prefer: '`wait=<s>`: how long the answer waits for the end, 0 to 300; without it the entry is answered at once.',
};

export const createKnowledge = defineRoute({
  method: 'post',
  path: '/console/knowledge',
  area: 'knowledge',
  summary: 'Make a text, or what lies at an address, searchable',
  description:
    'Answers at once with the entry and its `execution_id`: what is done to it can be followed there, or as a stream of this request. A content that the scope has already is noticed ' +
    '(`duplicate`); what lies at an address is known only when it was fetched.',
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
  summary: 'Make files searchable',
  description:
    `Up to ${MAX_KNOWLEDGE_FILES} files, each in a part \`file\` of the form: PDF, DOCX, PPTX, XLSX, ODT, EPUB, HTML, Markdown, text, CSV, and images, whose text is read. Each ` +
    'becomes an entry; other fields hold for all of them. A single one is answered with its entry and its `execution_id`, and may be streamed; several with the list of theirs, and of those that `failed`.',
  needs: 'write',
  rateClass: 'executions',
  file: { most: MAX_KNOWLEDGE_FILES },
  body: knowledgeUpload,
  answer: z.union([knowledgeCreated, knowledgeUploaded]),
  streams: true,
  headers: prefer,
  refuses: ['overloaded'],
  handle: ({ body, files, context }) => createFromFiles(context, files, body),
  renew: async ({ context }, answer) => {
    const anew = async ({ id, duplicate }: KnowledgeCreated) => created(await entryOf(context, id), duplicate);
    if (answer.object !== 'list') return anew(answer);
    return { ...answer, data: await Promise.all(answer.data.map(anew)) };
  },
});

export const listKnowledge = defineRoute({
  method: 'get',
  path: '/console/knowledge',
  area: 'knowledge',
  summary: 'List the entries of the scope',
  description: 'Newest first, with how many there are of each status. The members of a workspace share its entries.',
  needs: 'read',
  query: knowledgeQuery,
  answer: knowledgeList,
  handle: async ({ query, owner, services }) => {
    const { knowledge } = services.database;
    const [page, counts] = await Promise.all([knowledge.list(owner, query), knowledge.counts(owner, query)]);
    return { object: 'list', ...page, data: page.data.map(presentEntry), counts };
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
    return presentEntry(record);
  },
});

export const listKnowledgeChunks = defineRoute({
  method: 'get',
  path: '/console/knowledge/:entry_id/chunks',
  area: 'knowledge',
  summary: 'List the chunks of an entry',
  description: 'What answers are looked for in, in the order of the document.',
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
  summary: 'Change an entry',
  description:
    'Title and tags hold for questions at once. A new `content` is ingested as a new revision; questions see the old one until then, and then the new one, never both. Editors change what they ' +
    'made, admins all.',
  needs: 'write',
  params,
  body: knowledgePatch,
  answer: knowledgeEntry,
  answerHeaders,
  headers,
  refuses: ['conflict', 'overloaded'],
  handle: async ({ params, body, owner, role, services, context, request, response }) => {
    const { database, dispatcher } = services;
    const expected = expectedRevision(request, 'an entry');
    const before = await changeableEntry(database, { owner, role }, params.entry_id);
    if (expected !== null && expected !== before.revision) throw otherRevision();
    const { content, format = 'markdown', webhook_url, ...facts } = body;
    if (content !== undefined) {
      const plan = planRevision({ ...services, keys: services.knowledgeKeys }, before, { content, format, expected });
      const options = { follow: false, id: context.plannedExecutionId };
      const { record } = await beginIngestion(context, plan, { webhook_url }, options);
      context.executionId = record.id;
      // What was done to the content before is for nothing now.
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
    'With its chunks, their vectors and its file: no question finds it any more when this is answered. Stored answers that cite it lose what they took from it. Units of the ' +
    'archive that were made of it stay. Editors delete what they made, admins all.',
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
  summary: 'Process a failed entry again',
  description:
    'From where it failed: what was parsed and embedded already is not done again. A new execution with `retry_of`; requests that come while it runs get the same one.',
  needs: 'run',
  executes: true,
  params,
  body: z.strictObject({ stream: z.boolean().default(false), webhook_url: webhookUrl.optional() }),
  answer: execution,
  streams: true,
  headers: { Prefer: '`respond-async` or `wait=<s>`, as for every execution.' },
  refuses: ['job_not_retryable'],
  handle: async ({ params, body, owner, services, context, request }) => {
    const running = await runningRetry(context, params.entry_id);
    if (running !== null) return joinRetry(context, running, body.stream);
    const begin = async (id: string | undefined) => {
      const plan = await planRetry(services.database, owner, params.entry_id);
      const options = { stream: body.stream, preference: readPreference(request.headers.prefer) };
      const retryOf = plan.record.execution_id;
      const begun = await beginIngestion(context, plan, body, { follow: follows(options), id, retryOf });
      return deliver(context, begun, options);
    };
    const { execution_id } = await entryOf(context, params.entry_id);
    // Where the failed execution was deleted there is nothing to claim; the entry itself lets one retry begin.
    const failed = execution_id && (await services.database.executions.get(owner, execution_id));
    if (!failed || execution_id === null) return begin(context.plannedExecutionId);
    return retryOnce(context, execution_id, body.stream, begin);
  },
});

function otherRevision(): ChorusError {
  return new ChorusError('conflict', 'The entry has another revision by now; read it again.', { retryAfterS: 1 });
}
