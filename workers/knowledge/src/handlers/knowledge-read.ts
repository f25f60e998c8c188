import { ChorusError, type DocumentItem, pageTest, type TextItem } from '@chorus/contract';
import type { Block, Documents, ReadPages } from '@chorus/documents';
import { shortened } from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import { NO_USAGE } from '@chorus/providers/usage';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { LongDocuments } from '../long-documents.ts';
import { readPagesOf } from '../read-pages.ts';
import { readPicturesOf } from '../read-pictures.ts';
import { type SourceParts, withMediaSource } from '../source-file.ts';

export interface ReadingParts extends Pick<SourceParts, 'assets' | 'outbound' | 'maxBytes'> {
  documents: Pick<Documents, 'parse'>;
  ocr: Pick<Ocr, 'read' | 'engine'>;
  /** Documents to read at once. */
  longDocuments: number;
}

/** Scanned pages of one reading. */
const MAX_SCANS = 50;

/** Reading is short enough to keep its place, and stores nothing in between. */
const NO_FILES = { pages: async () => [], putPages: async () => undefined };

type Job = JobContext<'knowledge.read'>;

/** Reads a document once, as Markdown. */
export const knowledgeRead = (parts: ReadingParts): Handler<'knowledge.read'> => {
  const documents = new LongDocuments(parts.longDocuments);
  return {
    async run(job) {
      const end = await documents.begin(job.owner.user_id, job.signal);
      try {
        return await read(parts, job);
      } finally {
        end();
      }
    },
  };
};

async function read(parts: ReadingParts, job: Job): Promise<JobResult<TextItem | DocumentItem>> {
  const { input, owner, signal, emit } = job;
  const place = { ...job.place, isWanted: async () => false };
  const isAsked = pageTest(input.pages);
  const left: number[] = [];
  const report = (stage: string) => (completed: number, total: number) => {
    emit({ type: 'progress', progress: { completed, total, stage } });
  };
  report('fetching')(0, 1);
  return withMediaSource(parts, owner, input.source, signal, async (file) => {
    report('parsing')(0, 1);
    const parsed = await parts.documents.parse(file, {
      signal,
      languages: input.languages,
      onProgress: report('parsing'),
      readPages: onlyAsked(readPagesOf(parts.ocr, NO_FILES, place), isAsked, left),
      readPictures: readPicturesOf(parts.ocr, NO_FILES, place),
    });
    const blocks = parsed.blocks.filter(({ page }) => page === null || isAsked(page));
    if (blocks.length === 0) throw noneOf(input.pages, parsed.pageCount);
    const whole = toMarkdown(blocks);
    const text = cut(whole, input.offset, input.max_chars);
    const next = input.offset + text.length;
    const document: DocumentItem = {
      type: 'document',
      title: (parsed.title === null ? null : shortened(parsed.title) || null) ?? file.filename,
      mime_type: file.mimeType,
      page_count: parsed.pageCount,
      total_chars: whole.length,
      offset: input.offset,
      next_offset: next < whole.length ? next : null,
    };
    const warnings = [...parsed.warnings, ...noteLeft(left)];
    const output = [{ type: 'text' as const, text }, document];
    return { output, usage: NO_USAGE, model: null, provider: null, finish_reason: null, warnings };
  });
}

/** Limits OCR to the pages that were asked for. The others are empty, and those beyond the limit added to `left`. */
function onlyAsked(readPages: ReadPages, isAsked: (page: number) => boolean, left: number[]): ReadPages {
  return async (file, pages, options) => {
    if (pages === null) return readPages(file, null, options);
    const asked = pages.filter((page) => isAsked(page));
    const now = asked.slice(0, MAX_SCANS);
    left.push(...asked.slice(MAX_SCANS));
    const found = now.length === 0 ? [] : await readPages(file, now, options);
    const isRead = new Set(now);
    return [...found, ...pages.filter((page) => !isRead.has(page)).map((number) => ({ number, text: '' }))];
  };
}

function noneOf(pages: string | null, pageCount: number | null): ChorusError {
  const message = `The document has ${pageCount} pages; ${pages} contains none of them, or none with text.`;
  return new ChorusError('invalid_request', message);
}

function noteLeft(left: readonly number[]): string[] {
  if (left.length === 0) return [];
  const pages =
    left.length === 1 ? `Page ${left[0]} is` : `Pages ${left[0]} to ${left.at(-1)} include ${left.length} that are`;
  return [`${pages} scanned and not read, since one reading reads ${MAX_SCANS}. Name them in \`pages\`.`];
}

function toMarkdown(blocks: readonly Block[]): string {
  let page: number | null = null;
  return blocks
    .flatMap((block) => {
      const isNewPage = block.page !== null && block.page !== page;
      page = block.page ?? page;
      return isNewPage ? [`[Page ${page}]`, markdownOf(block)] : [markdownOf(block)];
    })
    .join('\n\n');
}

function markdownOf({ type, level = 1, text }: Block): string {
  if (type === 'heading') return `${'#'.repeat(Math.min(level, 6))} ${text}`;
  if (type === 'code') return `\`\`\`\n${text}\n\`\`\``;
  return type === 'quote' ? text.replace(/^/gm, '> ') : text;
}

/** Returns at most `max` characters, up to the end of a line if one is near, and never half a character. */
function cut(text: string, offset: number, max: number): string {
  const part = text.slice(offset, offset + max);
  if (offset + part.length >= text.length) return part;
  const line = part.lastIndexOf('\n');
  if (line > max / 2) return part.slice(0, line + 1);
  return /[\uD800-\uDBFF]$/.test(part) ? part.slice(0, -1) : part;
}
