import { z } from 'zod';
import { delivery } from './delivery.ts';
import { errorBody } from './error-body.ts';
import { idSchema, recordId } from './ids.ts';
import { waitingFor } from './lanes.ts';
import { listOf, listQuery } from './list.ts';
import { metadata, storedMetadata } from './metadata.ts';
import { textUpTo } from './text-up-to.ts';
import { webhookUrl } from './webhooks.ts';

export const KNOWLEDGE_STATUSES = ['processing', 'ready', 'failed'] as const;
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** Stages of an ingestion, in order. Each reports progress, and failures name it. */
export const INGESTION_STAGES = ['fetching', 'parsing', 'chunking', 'embedding', 'indexing'] as const;
export type IngestionStage = (typeof INGESTION_STAGES)[number];

/** Formats of text in JSON bodies. */
export const TEXT_FORMATS = ['text', 'markdown', 'html'] as const;

export const knowledgeSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), format: z.enum(TEXT_FORMATS) }),
  z.object({ type: z.literal('url'), url: z.string(), mime_type: z.string().nullable() }),
  z.object({
    type: z.literal('file'),
    asset_id: z.string().describe('The uploaded file'),
    filename: z.string().nullable(),
    mime_type: z.string(),
    kept: z.literal(true).optional().describe('The file existed before and outlives the entry'),
  }),
]);
export type KnowledgeSource = z.infer<typeof knowledgeSource>;

export const knowledgeEntry = z.object({
  id: z.string().describe('`kno_…`'),
  object: z.literal('knowledge.entry'),
  title: z.string(),
  source: knowledgeSource,
  status: z.enum(KNOWLEDGE_STATUSES).describe('Of the latest revision'),
  stage: z.enum(INGESTION_STAGES).nullable().describe('The current stage, or the one that failed'),
  waiting_for: waitingFor
    .nullable()
    .describe('With status `processing`: the provider that its ingestion waits for. Null: none'),
  error: errorBody.nullable(),
  tags: z.array(z.string()).max(50),
  metadata: storedMetadata,
  size_bytes: z.int().nullable().describe('Size of the source; null until it has been downloaded'),
  sha256: z.string().nullable().describe('Hash of the source, in hexadecimal'),
  page_count: z.int().nullable().describe('For documents with pages'),
  chunk_count: z.int().describe('Chunks that can be searched: those of `searchable_revision`'),
  revision: z.int().describe('Increases with every new content. `If-Match` takes it in quotes, or the `ETag`.'),
  searchable_revision: z
    .int()
    .nullable()
    .describe(
      'The revision that searches use: the previous one while a new one is processed or has failed. Null: none yet',
    ),
  embedding_model: z.string().nullable().describe('`provider/model` of the embeddings'),
  execution_id: z.string().nullable().describe('The latest ingestion'),
  warnings: z.array(z.string()).max(1_000).describe('Parts of the document that could not be read'),
  session_ids: z
    .array(z.string())
    .max(1_000)
    .nullable()
    .describe(
      'Of a document for a conversation: the sessions that use it. Only its creator sees it. Null: the scope shares it',
    ),
  user_id: z.string().describe('The creator'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type KnowledgeEntry = z.infer<typeof knowledgeEntry>;

export const knowledgeCreated = knowledgeEntry.extend({
  duplicate: z.boolean().describe('Whether the scope already had this content. Then this is the existing entry'),
});
export type KnowledgeCreated = z.infer<typeof knowledgeCreated>;

/** Maximum number of documents of a conversation. */
export const MAX_SESSION_DOCUMENTS = 50;

/** Maximum number of files per upload. */
export const MAX_KNOWLEDGE_FILES = 50;

/** The result of an upload with several files. A single file is answered with its entry. */
export const knowledgeUploaded = z.object({
  object: z.literal('list'),
  data: z.array(knowledgeCreated).max(MAX_KNOWLEDGE_FILES).describe('In the order of the files'),
  failed: z
    .array(z.object({ filename: z.string().nullable(), error: errorBody }))
    .max(MAX_KNOWLEDGE_FILES)
    .describe('Refused files, which can be sent again'),
});
export type KnowledgeUploaded = z.infer<typeof knowledgeUploaded>;

/** A page of entries, with the number of entries per status under the same filters. */
export const knowledgeList = listOf(knowledgeEntry).extend({
  counts: z.object({ total: z.int(), processing: z.int(), ready: z.int(), failed: z.int() }),
});

const title = z.string().trim().min(1).max(300);
export const tag = z.string().trim().min(1).max(100);
const tags = z
  .array(tag)
  .max(50)
  .transform((all) => [...new Set(all)]);

/** Maximum length of a text in a JSON body, in characters. Longer texts must be uploaded. */
export const MAX_KNOWLEDGE_TEXT = 3_000_000;
const content = textUpTo(MAX_KNOWLEDGE_TEXT);

const onDuplicate = z
  .enum(['reuse', 'create'])
  .default('reuse')
  .describe('If you have added the same content to this scope already: return that entry, or create another');
const languages = z
  .array(z.string().regex(/^[a-z]{3}(_[a-z]+){0,2}$/i, { error: 'must be an ISO 639-2 code such as eng' }))
  .min(1)
  .max(8)
  .describe('For pages that need OCR, the most likely first');

const forConversation = z
  .boolean()
  .default(false)
  .describe(
    'Adds it for a conversation instead of the scope: name its id in `attachments` of a message within a day, and only that conversation uses it. ' +
      'Always creates a new entry',
  );

/** `POST /console/knowledge` */
export const knowledgeCreate = z
  .strictObject({
    title: title.optional().describe("Default: the document's own title, or the start of its text"),
    content: content.optional().describe('The text; cannot be combined with `url` or `asset_id`'),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .optional()
      .describe('The public URL of a page or file'),
    asset_id: idSchema('asset').optional().describe('A stored file. It outlives the entry'),
    format: z.enum(TEXT_FORMATS).optional().describe('Format of `content`. Default: markdown'),
    tags: tags.default([]),
    languages: languages.optional(),
    on_duplicate: onDuplicate,
    for_conversation: forConversation,
    ...delivery,
  })
  .refine((source) => [source.content, source.url, source.asset_id].filter((one) => one !== undefined).length === 1, {
    path: ['content'],
    error: 'send exactly one of `content`, `url`, and `asset_id`',
  })
  .refine(({ content, format }) => content !== undefined || format === undefined, {
    path: ['format'],
    error: 'needs `content`',
  });
export type KnowledgeCreate = z.infer<typeof knowledgeCreate>;

/** The fields beside the files of `POST /console/knowledge/upload`. They apply to each file. */
export const knowledgeUpload = z.strictObject({
  title: title.optional().describe('Only for a single file'),
  tags: tags.default([]),
  languages: languages.optional(),
  on_duplicate: onDuplicate,
  for_conversation: forConversation,
  ...delivery,
});
export type KnowledgeUpload = z.infer<typeof knowledgeUpload>;

/** `PATCH /console/knowledge/{id}` */
export const knowledgePatch = z
  .strictObject({
    title: title.optional(),
    tags: tags.optional(),
    metadata: metadata.optional(),
    content: content.optional().describe('The new text, ingested as a new revision. The old one is used until then'),
    format: z.enum(TEXT_FORMATS).optional(),
    webhook_url: webhookUrl.optional(),
  })
  .refine(({ webhook_url, format, ...patch }) => Object.keys(patch).length > 0, {
    error: 'send at least one of title, tags, metadata, content',
  })
  .refine(({ content, format }) => content !== undefined || format === undefined, {
    path: ['format'],
    error: 'needs `content`',
  });
export type KnowledgePatch = z.infer<typeof knowledgePatch>;

export const knowledgeQuery = listQuery.extend({
  status: z.enum(KNOWLEDGE_STATUSES).optional(),
  tag: tag.optional(),
  source: z.enum(['text', 'url', 'file']).optional(),
  q: z.string().trim().min(1).max(200).optional().describe('Words of the title.'),
  session_id: recordId
    .optional()
    .describe('`ses_…`: the documents of this conversation, instead of those of the scope'),
});
export type KnowledgeQuery = z.infer<typeof knowledgeQuery>;

export const knowledgeFilter = {
  tags: tags.optional().describe('Only entries with one of these tags'),
  entry_ids: z.array(idSchema('knowledge')).min(1).max(100).optional().describe('Only these entries'),
};
export const questionText = z.string().trim().min(1).max(8_000);

/** `knowledge` of a chat turn: the documents that the answer may use. */
export const knowledgeUse = z.strictObject({
  top_k: z.int().min(1).max(50).default(8),
  ...knowledgeFilter,
});
export type KnowledgeUse = z.infer<typeof knowledgeUse>;

/** A passage of a document. */
export const knowledgeChunk = z.object({
  id: z.string(),
  object: z.literal('knowledge.chunk'),
  entry_id: z.string(),
  revision: z.int(),
  title: z.string().describe("The entry's title"),
  text: z.string(),
  heading_path: z.array(z.string()).max(100).describe('The headings above it, outermost first'),
  page: z.int().nullable().describe('Its first page, from 1; null for documents without pages'),
  position: z.int().describe('Its index in the document, from 0'),
  score: z.number().nullable().describe('0 to 1, comparable within one search; null without a search'),
});
export type KnowledgeChunk = z.infer<typeof knowledgeChunk>;

/** The entry that an ingestion made searchable. */
export const entryItem = z.object({
  type: z.literal('entry'),
  entry_id: z.string(),
  duplicate: z.boolean().describe('Whether the scope already had this content. Then this is the existing entry'),
});
export type EntryItem = z.infer<typeof entryItem>;

/** A search result. Results come best first. */
export const passageItem = z.object({ type: z.literal('passage'), passage: knowledgeChunk });
export type PassageItem = z.infer<typeof passageItem>;
