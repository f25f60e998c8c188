import { stat } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import { BlockWriter } from './block-writer.ts';
import {
  type Block,
  DEFAULT_LIMITS,
  type DocumentFile,
  type DocumentLimits,
  type Documents,
  type PageText,
  type ParsedDocument,
  type ParseOptions,
} from './documents.ts';
import { type Format, findFormat } from './find-format.ts';
import { formatPages } from './format-pages.ts';
import { readMarkdown } from './formats/markdown.ts';
import { ChildGone } from './pool/parser-child.ts';
import { ParserPool, TaskTimeout } from './pool/parser-pool.ts';
import type { ParseEnd } from './pool/protocol.ts';
import { stagePdf } from './stage-pdf.ts';

export interface DocumentsOptions {
  log: Logger;
  /** Children at once, each of which reads one file; 2 where nothing is said. */
  processes?: number;
  limits?: Partial<DocumentLimits>;
}

/** Reads files of strangers, by children with limits that are started when they are needed first. */
export function createDocuments({ log, processes = 2, limits: given }: DocumentsOptions): Documents {
  const limits: DocumentLimits = { ...DEFAULT_LIMITS, ...given };
  const pool = new ParserPool(processes, limits.memoryBytes, log);

  async function parseInChild(path: string, format: Format, options: ParseOptions): Promise<ParsedDocument> {
    const blocks: Block[] = [];
    const { signal, onProgress } = options;
    const hear = (told: { blocks: Block[]; done: number; total: number }) => {
      for (const block of told.blocks) blocks.push(block);
      onProgress?.(told.done, told.total);
    };
    try {
      const end = await pool.run({ path, format, limits }, { signal, hear });
      return { ...end, ...(await withPictures(path, { ...end, blocks }, options, limits)) };
    } catch (error) {
      throw errorOf(error, limits);
    }
  }

  async function parseImage({ path, mimeType }: DocumentFile, options: ParseOptions): Promise<ParsedDocument> {
    const { readPages, languages, signal, onProgress } = options;
    if (!readPages) throw new ChorusError('unsupported_media_type', 'Pictures are not read here.');
    const pages = await readPages({ path, mimeType }, null, {
      languages,
      signal,
      onPage: (done) => onProgress?.(done, done),
    });
    return { title: null, pageCount: pages.length, blocks: await blocksOf(pages, limits), warnings: [] };
  }

  return {
    async parse(file, options) {
      options.signal.throwIfAborted();
      const format = findFormat(file);
      const { size } = await stat(file.path);
      if (size > limits.fileBytes)
        throw new ChorusError(
          'payload_too_large',
          `A document may have ${limits.fileBytes} bytes; this one has ${size}.`,
        );
      if (size === 0) throw new ChorusError('invalid_request', 'The file is empty.');
      const staged = format === 'pdf' ? await stagePdf(file.path) : null;
      try {
        const document =
          format === 'image'
            ? await parseImage(file, options)
            : await parseInChild(staged?.path ?? file.path, format, options);
        const [warning] = document.warnings;
        if (document.blocks.length === 0)
          throw new ChorusError('invalid_request', `There is no text in the file.${warning ? ` ${warning}` : ''}`);
        const { title, pageCount, blocks, warnings } = document;
        return { title, pageCount, blocks, warnings };
      } finally {
        await staged?.remove();
      }
    },
    async close() {
      pool.close();
    },
  };
}

/** The document with what the pictures of its pages say, in its place. */
async function withPictures(
  path: string,
  { blocks, pictures, pageCount, warnings }: ParseEnd & { blocks: Block[] },
  { readPages, languages, signal, onProgress }: ParseOptions,
  limits: DocumentLimits,
): Promise<Pick<ParsedDocument, 'blocks' | 'warnings'>> {
  if (pictures.length === 0) return { blocks, warnings };
  const notRead = (pages: readonly number[]) =>
    pages.length === 1
      ? `Page ${pages[0]} has no text of its own, and its picture was not read.`
      : `Pages ${formatPages(pages)} have no text of their own, and their pictures were not read.`;
  if (!readPages) return { blocks, warnings: [...warnings, notRead(pictures)] };
  const total = pageCount ?? pictures.length;
  const onPage = (done: number) => onProgress?.(total - pictures.length + done, total);
  const read = await readPages({ path, mimeType: 'application/pdf' }, pictures, { languages, signal, onPage });
  const known = new Set(read.map(({ number }) => number));
  const left = pictures.filter((number) => !known.has(number));
  const both = [...blocks, ...(await blocksOf(read, limits))];
  return {
    blocks: both.toSorted((one, other) => (one.page ?? 0) - (other.page ?? 0)),
    warnings: left.length === 0 ? warnings : [...warnings, notRead(left)],
  };
}

/** What was read of pictures. It is Markdown of our own, or a model's: looking for its blocks costs no more than its length. */
async function blocksOf(pages: readonly PageText[], { characters }: DocumentLimits): Promise<Block[]> {
  const blocks: Block[] = [];
  const writer = new BlockWriter(async (told) => void blocks.push(...told), characters);
  for (const { number, text } of pages) {
    writer.page = number;
    readMarkdown(text, writer);
    await writer.flush();
  }
  return blocks;
}

function errorOf(error: unknown, { memoryBytes }: DocumentLimits): unknown {
  if (error instanceof TaskTimeout)
    return new ChorusError(
      'timeout',
      `The file takes longer to read than the ${error.limitMs / 1_000} s that are allowed.`,
      {
        cause: error,
      },
    );
  if (error instanceof ChildGone)
    return new ChorusError(
      'invalid_request',
      `The file can not be read: it is broken, or takes more than the ${Math.round(memoryBytes / 1e6)} MB of memory that are allowed.`,
      { cause: error },
    );
  return error;
}
