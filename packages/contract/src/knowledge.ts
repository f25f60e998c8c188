import { z } from 'zod';
import { errorBody } from './errors.ts';
import { idSchema, recordId } from './ids.ts';
import { delivery } from './iris.ts';
import { listOf, listQuery } from './list.ts';
import { metadata, storedMetadata } from './metadata.ts';
import { textUpTo } from './text-up-to.ts';
import { webhookUrl } from './webhooks.ts';

export const KNOWLEDGE_STATUSES = ['processing', 'ready', 'failed'] as const;
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** What is done to a document, in this order; each tells its progress and fails by its own name. */
export const INGESTION_STAGES = ['fetching', 'parsing', 'chunking', 'embedding', 'indexing'] as const;
export type IngestionStage = (typeof INGESTION_STAGES)[number];

/** Texts that are taken as they come, and how they are read. */
export const TEXT_FORMATS = ['text', 'markdown', 'html'] as const;

export const knowledgeSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), format: z.enum(TEXT_FORMATS) }),
  z.object({ type: z.literal('url'), url: z.string(), mime_type: z.string().nullable() }),
  z.object({
    type: z.literal('file'),
    asset_id: z.string().describe('The file as it was uploaded'),
    filename: z.string().nullable(),
    mime_type: z.string(),
  }),
]);
export type KnowledgeSource = z.infer<typeof knowledgeSource>;

export const knowledgeEntry = z.object({
  id: z.string().describe('`kno_…`'),
  object: z.literal('knowledge.entry'),
  title: z.string(),
  source: knowledgeSource,
  status: z.enum(KNOWLEDGE_STATUSES).describe('Of the newest revision'),
  stage: z.enum(INGESTION_STAGES).nullable().describe('What is done now, or what failed'),
  error: errorBody.nullable(),
  tags: z.array(z.string()).max(50),
  metadata: storedMetadata,
  size_bytes: z.int().nullable().describe('Of the source; null until it was fetched'),
  sha256: z.string().nullable().describe('Of the source, in hexadecimal'),
  page_count: z.int().nullable().describe('Of documents that have pages'),
  chunk_count: z.int().describe('That answers are looked for in: those of `searchable_revision`'),
  revision: z.int().describe('Goes up with every new content. `If-Match` takes it in quotes, or the `ETag`.'),
  searchable_revision: z
    .int()
    .nullable()
    .describe(
      'The revision that questions see: the one before while a new one is processed or has failed; null: none yet',
    ),
  embedding_model: z.string().nullable().describe('`provider/model` whose vectors are searched'),
  execution_id: z.string().nullable().describe('The newest ingestion'),
  warnings: z.array(z.string()).max(1_000).describe('What of the document could not be read'),
  user_id: z.string().describe('Who added it'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type KnowledgeEntry = z.infer<typeof knowledgeEntry>;

/** An entry as its making answers it. */
export const knowledgeCreated = knowledgeEntry.extend({
  duplicate: z
    .boolean()
    .describe('Whether the scope had this content already: then this is the entry that has it, as it is'),
});
export type KnowledgeCreated = z.infer<typeof knowledgeCreated>;

/** The most files that one upload may have. */
export const MAX_KNOWLEDGE_FILES = 50;

/** What became of the files of an upload that had several; a single one is answered with its entry, as by its creation. */
export const knowledgeUploaded = z.object({
  object: z.literal('list'),
  data: z.array(knowledgeCreated).max(MAX_KNOWLEDGE_FILES).describe('In the order of the files'),
  failed: z
    .array(z.object({ filename: z.string().nullable(), error: errorBody }))
    .max(MAX_KNOWLEDGE_FILES)
    .describe('Files that were not taken, although others were; they can be sent again'),
});
export type KnowledgeUploaded = z.infer<typeof knowledgeUploaded>;

/** A page of entries, and how many there are of each status under the same filters. */
export const knowledgeList = listOf(knowledgeEntry).extend({
  counts: z.object({ total: z.int(), processing: z.int(), ready: z.int(), failed: z.int() }),
});

const title = z.string().trim().min(1).max(300);
export const tag = z.string().trim().min(1).max(100);
const tags = z
  .array(tag)
  .max(50)
  .transform((all) => [...new Set(all)]);

/** The longest text that is taken in a JSON body, in characters; longer ones are uploaded. */
export const MAX_KNOWLEDGE_TEXT = 3_000_000;
const content = textUpTo(MAX_KNOWLEDGE_TEXT);

const onDuplicate = z
  .enum(['reuse', 'create'])
  .default('reuse')
  .describe('What is done where the scope has the same content: answer the entry that has it, or make another');
const languages = z
  .array(z.string().regex(/^[a-z]{3}(_[a-z]+)?$/i, { error: 'must be an ISO 639-2 code such as eng' }))
  .min(1)
  .max(8)
  .describe('Of pages that are read from their pictures, the likeliest first');

/** `POST /console/knowledge` */
export const knowledgeCreate = z
  .strictObject({
    title: title.optional().describe("Absent: the document's own, or its beginning"),
    content: content.optional().describe('The text itself; excludes `url`'),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .optional()
      .describe('A page or file at a public address'),
    format: z.enum(TEXT_FORMATS).optional().describe('How `content` is read; absent: as markdown'),
    tags: tags.default([]),
    languages: languages.optional(),
    on_duplicate: onDuplicate,
    ...delivery,
  })
  .refine(({ content, url }) => (content === undefined) !== (url === undefined), {
    path: ['content'],
    error: 'exactly one of `content` and `url`',
  })
  .refine(({ content, format }) => content !== undefined || format === undefined, {
    path: ['format'],
    error: '`format` goes with `content`',
  });
export type KnowledgeCreate = z.infer<typeof knowledgeCreate>;

/** The fields beside the files of `POST /console/knowledge/upload`; they hold for each file. */
export const knowledgeUpload = z.strictObject({
  title: title.optional().describe('Of a single file'),
  tags: tags.default([]),
  languages: languages.optional(),
  on_duplicate: onDuplicate,
  ...delivery,
});
export type KnowledgeUpload = z.infer<typeof knowledgeUpload>;

/** `PATCH /console/knowledge/{id}` */
export const knowledgePatch = z
  .strictObject({
    title: title.optional(),
    tags: tags.optional(),
    metadata: metadata.optional(),
    content: content
      .optional()
      .describe('The new text: it is ingested as a new revision, and the old one serves until then'),
    format: z.enum(TEXT_FORMATS).optional(),
    webhook_url: webhookUrl.optional(),
  })
  .refine(({ webhook_url, format, ...patch }) => Object.keys(patch).length > 0, {
    error: 'at least one of title, tags, metadata, content',
  })
  .refine(({ content, format }) => content !== undefined || format === undefined, {
    path: ['format'],
    error: '`format` goes with `content`',
  });
export type KnowledgePatch = z.infer<typeof knowledgePatch>;

export const knowledgeQuery = listQuery.extend({
  status: z.enum(KNOWLEDGE_STATUSES).optional(),
  tag: tag.optional(),
  source: z.enum(['text', 'url', 'file']).optional(),
  q: z.string().trim().min(1).max(200).optional().describe('Words of the title.'),
});
export type KnowledgeQuery = z.infer<typeof knowledgeQuery>;

/** What narrows a search down. */
const narrowing = {
  tags: tags.optional().describe('Only entries that have one of these'),
  entry_ids: z.array(idSchema('knowledge')).min(1).max(100).optional().describe('Only these entries'),
};
const question = z.string().trim().min(1).max(8_000);

/** `POST /console/knowledge/ask` */
export const knowledgeAsk = z.strictObject({
  question,
  top_k: z.int().min(1).max(50).default(8).describe('How many passages the answer is made from, at most'),
  ...narrowing,
  session_id: recordId.optional().describe('The question and its answer become a turn of this session'),
  model: z
    .string()
    .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model' })
    .max(200)
    .optional()
    .describe('`provider/model` that answers; absent: the configured default'),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  ...delivery,
});
export type KnowledgeAsk = z.infer<typeof knowledgeAsk>;

/** `POST /console/knowledge/search` */
export const knowledgeSearch = z.strictObject({
  query: question,
  top_k: z.int().min(1).max(50).default(8).describe('How many passages, at most'),
  ...narrowing,
  ...delivery,
});
export type KnowledgeSearch = z.infer<typeof knowledgeSearch>;

/** `knowledge` of a chat turn: what the model is given to answer from. */
export const knowledgeUse = z.strictObject({
  top_k: z.int().min(1).max(50).default(8),
  ...narrowing,
});
export type KnowledgeUse = z.infer<typeof knowledgeUse>;

/** A piece of a document, as it is found. */
export const knowledgeChunk = z.object({
  id: z.string(),
  object: z.literal('knowledge.chunk'),
  entry_id: z.string(),
  revision: z.int(),
  title: z.string().describe("The entry's"),
  text: z.string(),
  heading_path: z.array(z.string()).max(100).describe('The headings that it stands under, from the outermost'),
  page: z.int().nullable().describe('Where it begins, from 1; null in documents without pages'),
  position: z.int().describe('Its place in the document, from 0'),
  score: z.number().nullable().describe('0 to 1, comparable within one search; null where nothing was searched'),
});
export type KnowledgeChunk = z.infer<typeof knowledgeChunk>;

/** What a search has found, the best first. */
export const passageItem = z.object({ type: z.literal('passage'), passage: knowledgeChunk });
export type PassageItem = z.infer<typeof passageItem>;
