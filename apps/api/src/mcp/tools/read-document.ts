import { ChorusError, idSchema, knowledgeRead, pageTest } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { answerText } from '@chorus/executions';
import { z } from 'zod';
import type { ScopedContext } from '../../http/request-context.ts';
import { unknownRecord } from '../../http/unknown-record.ts';
import { defineTool, type Shown, type Start, showWork, workFields } from '../define-tool.ts';

const { asset_id, url, pages, languages, offset, max_chars } = knowledgeRead.request.shape;

const input = z
  .strictObject({
    entry_id: idSchema('knowledge').optional().describe('A document of the knowledge, as search_knowledge names it'),
    asset_id,
    url,
    pages,
    languages,
    offset: offset.describe('Characters to skip: next_offset of the result before'),
    max_chars,
  })
  .refine((source) => [source.entry_id, source.asset_id, source.url].filter((one) => one !== undefined).length === 1, {
    path: ['entry_id'],
    error: 'send exactly one of `entry_id`, `asset_id`, and `url`',
  });
type Input = z.output<typeof input>;

const NOTHING = { title: null, text: null, page_count: null, total_chars: null, next_offset: null, warnings: [] };

export const readDocument = defineTool({
  name: 'read_document',
  title: 'Read a document',
  description:
    'Reads the text of a document as Markdown: a document of the knowledge, a file, or a public web page or file by its ' +
    'URL. Reads PDF, Office, EPUB, HTML, text, and images (OCR). A long text is cut: read on with offset, or choose pages.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  input,
  output: z.object({
    job_id: workFields.job_id.nullable().describe('The execution; null for a document of the knowledge'),
    status: workFields.status,
    title: z.string().nullable(),
    text: z.string().nullable().describe('Markdown'),
    page_count: z.int().nullable(),
    total_chars: z.int().nullable().describe('Null: unknown'),
    next_offset: z.int().nullable().describe('Where to continue. Null: the text ends here'),
    warnings: z.array(z.string()).describe('Parts that could not be read'),
  }),
  needs: ({ entry_id }) => (entry_id === undefined ? 'run' : 'read'),
  start: async (args, context): Promise<Start> => {
    const { entry_id, ...request } = args;
    if (entry_id !== undefined) return { shown: await showEntry(args, entry_id, context) };
    return { order: { kind: 'knowledge.read', request: { ...request, stream: false, metadata: {} } } };
  },
  show: (record) => showWork(record, () => showDocument(record), NOTHING),
});

/** Shows a document of the knowledge, from its stored text. */
async function showEntry(
  { pages, offset, max_chars }: Input,
  id: string,
  { services, owner }: ScopedContext,
): Promise<Shown> {
  const entry = await services.database.knowledge.get(owner, id);
  if (entry === null) throw unknownRecord('knowledge');
  const { status, searchable_revision, page_count, warnings } = entry;
  if (searchable_revision === null) {
    const state = status === 'failed' ? 'could not be read' : 'is still being read; try again later';
    throw new ChorusError('conflict', `The document ${state}.`);
  }
  const read = await services.readEntry(owner, id, offset + max_chars, pageTest(pages ?? null));
  if (read === null) throw unknownRecord('knowledge');
  const { title, content } = read;
  const text = content.slice(offset, offset + max_chars);
  const next = offset + text.length;
  const next_offset = next < content.length ? next : null;
  const total_chars = next_offset === null ? content.length : null;
  const facts = { title, page_count: page_count ?? null, total_chars, next_offset, warnings };
  return shownText(text, offset, { job_id: null, status: 'succeeded', ...facts });
}

function showDocument({ output, warnings = [] }: ExecutionRecord): Shown {
  const document = output.find((item) => item.type === 'document');
  const { title = null, page_count = null, total_chars = null, next_offset = null, offset = 0 } = document ?? {};
  return shownText(answerText({ output }), offset, { title, page_count, total_chars, next_offset, warnings });
}

interface TextFields extends Record<string, unknown> {
  next_offset: number | null;
  total_chars: number | null;
  warnings: string[];
}

function shownText(text: string, offset: number, fields: TextFields): Shown {
  const { next_offset, total_chars, warnings } = fields;
  const notes = warnings.map((warning) => `[${warning}]`);
  if (text === '') notes.push(`[There is no text at offset ${offset}.]`);
  if (next_offset !== null) {
    const of = total_chars === null ? '' : ` of ${total_chars}`;
    notes.push(
      `[Cut: characters ${offset} to ${next_offset}${of}. Call read_document with offset ${next_offset} to read on.]`,
    );
  }
  return { content: [{ type: 'text', text: [text, ...notes].join('\n\n') }], fields: { ...fields, text } };
}
