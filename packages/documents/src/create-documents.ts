import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract/errors';
import type { Logger } from '@chorus/runtime/log';
import { ChildGone, ChildPool, CpuTimeout, cpuBudget, cpuMsFor, lendFile, TaskTimeout } from '@chorus/sandbox';
import { addOcrText, blocksOfPages } from './add-ocr-text.ts';
import {
  type Block,
  DEFAULT_LIMITS,
  type DocumentFile,
  type DocumentLimits,
  type Documents,
  type ParsedDocument,
  type ParseOptions,
  type ShortText,
} from './documents.ts';
import { type Format, findFormat, formatOf } from './find-format.ts';
import { readMarkdownFile } from './formats/markdown.ts';
import { readPlainText } from './formats/plain-text.ts';
import type { ParsedPiece, ParseEnd, ParseTask } from './parse-task.ts';
import { addPictureText } from './pictures/add-picture-text.ts';
import { type EmbeddedPicture, isPictureMark, type MarkedBlock } from './pictures/marked-block.ts';
import { MAX_TOTAL_BYTES } from './pictures/picture-list.ts';
import { readInto } from './read-into.ts';

export interface DocumentsOptions {
  log: Logger;
  /** Number of children, each of which reads one file at a time. Default: 2. */
  processes?: number;
  limits?: Partial<DocumentLimits>;
}

const PROGRAM = fileURLToPath(new URL('./parser-main.ts', import.meta.url));

/** CPU limit of a child for its lifetime. It ends runaway native code even if the parent has died. */
const CPU_S = 1_800;
const RETIRED_AFTER = { tasks: 200, cpuMs: 900_000, memoryShare: 0.5 };

const SHORT_TEXT_BYTES = 16_384;
const READ_HERE: readonly string[] = ['markdown', 'plain', 'code'] satisfies Format[];

/** Creates a parser for untrusted files in sandboxed child processes, which start on first use. */
export function createDocuments({ log, processes = 2, limits: given }: DocumentsOptions): Documents {
  const limits: DocumentLimits = { ...DEFAULT_LIMITS, ...given };
  const { memoryBytes } = limits;
  const child = { program: PROGRAM, settings: null, memoryBytes, cpuS: CPU_S, retiredAfter: RETIRED_AFTER };
  const pool = new ChildPool<ParseTask, ParseEnd, ParsedPiece>({
    name: 'document parser',
    size: processes,
    log,
    child: async () => child,
  });

  async function parseInChild(
    path: string,
    format: Format,
    size: number,
    options: ParseOptions,
  ): Promise<ParsedDocument> {
    const blocks: MarkedBlock[] = [];
    const pictures: EmbeddedPicture[] = [];
    let pictureBytes = 0;
    let total = 1;
    const { signal, onProgress } = options;
    let characters = 0;
    const receive = (piece: ParsedPiece) => {
      for (const block of piece.blocks) {
        characters += block.text.length;
        blocks.push(block);
      }
      if (piece.picture !== undefined) {
        pictures.push(piece.picture);
        pictureBytes += piece.picture.bytes.byteLength;
      }
      // A child that has opened an untrusted file cannot be trusted, so its output is counted again. Repeated table
      // headers make it longer.
      if (characters > limits.characters * 2) throw new ChildGone('the child sent more text than allowed');
      if (pictureBytes > MAX_TOTAL_BYTES) throw new ChildGone('the child sent more pictures than allowed');
      total = piece.total;
      onProgress?.(piece.done, piece.total);
    };
    try {
      const { parseMs: timeoutMs, silenceMs } = limits;
      const cpu = cpuBudget(format === 'pdf' ? cpuMsFor(size) : timeoutMs);
      const end = await pool.run(
        { path, format, limits },
        { owner: options, signal, timeoutMs, silenceMs, cpu, onPart: receive },
      );
      const { warnings } = end;
      const onPicture = (read: number) => onProgress?.(total + read, total + pictures.length);
      const illustrated = await addPictureText({ blocks, pictures, warnings }, { ...options, onPicture }, limits);
      return { ...end, ...(await addOcrText(path, { ...end, ...illustrated }, options, limits)) };
    } catch (error) {
      throw errorOf(error, limits);
    }
  }

  async function parseImage({ path, mimeType }: DocumentFile, options: ParseOptions): Promise<ParsedDocument> {
    const { readPages, languages, signal, onProgress } = options;
    if (!readPages) throw new ChorusError('unsupported_media_type', 'Images are not supported here.');
    const warnings: string[] = [];
    const pages = await readPages({ path, mimeType }, null, {
      languages,
      signal,
      onWarning: (warning) => warnings.push(warning),
      onPage: (done) => onProgress?.(done, done),
    });
    return { title: null, pageCount: pages.length, blocks: await blocksOfPages(pages, limits), warnings };
  }

  async function parseHere(format: Format, { bytes }: ShortText): Promise<ParsedDocument> {
    const blocks: Block[] = [];
    const end = await readInto(
      async (sent) => void blocks.push(...sent.filter((block) => !isPictureMark(block))),
      { path: '', bytes, format, limits },
      format === 'markdown' ? readMarkdownFile : readPlainText,
    );
    return { ...end, blocks };
  }

  return {
    async parse(file, options) {
      options.signal.throwIfAborted();
      const format = findFormat(file);
      const { size } = await stat(file.path);
      if (size > limits.fileBytes)
        throw new ChorusError(
          'payload_too_large',
          `The document has ${size} bytes; the limit is ${limits.fileBytes} bytes.`,
        );
      if (size === 0) throw new ChorusError('invalid_request', 'The file is empty.');
      // Images go to `readPages`. PDFs need their extension: the library passes other files to external
      // converters.
      const lent = format === 'image' ? null : await lendFile(file.path, format === 'pdf' ? 'file.pdf' : 'file');
      try {
        const document =
          format === 'image' || lent === null
            ? await parseImage(file, options)
            : await parseInChild(lent.path, format, size, options);
        return withText(document);
      } finally {
        await lent?.remove();
      }
    },
    async parseText(text) {
      const format = findFormat(text);
      if (!isShortText({ ...text, sizeBytes: text.bytes.length }))
        throw new TypeError('the text needs a child process');
      if (text.bytes.length === 0) throw new ChorusError('invalid_request', 'The file is empty.');
      return withText(await parseHere(format as Format, text));
    },
    async close() {
      pool.close();
    },
  };
}

/**
 * Returns whether a text may be parsed without a child process: if it is short enough that our readers, which take
 * linear time, cannot delay other work.
 */
export function isShortText({
  sizeBytes,
  ...file
}: Pick<DocumentFile, 'mimeType' | 'filename'> & { sizeBytes: number }): boolean {
  const format = formatOf(file);
  return sizeBytes <= SHORT_TEXT_BYTES && format !== null && READ_HERE.includes(format);
}

/** @throws {ChorusError} invalid_request if there is no text */
function withText({ title, pageCount, blocks, warnings }: ParsedDocument): ParsedDocument {
  const [warning] = warnings;
  if (blocks.length === 0)
    throw new ChorusError('invalid_request', `The file has no text.${warning ? ` ${warning}` : ''}`);
  return { title, pageCount, blocks, warnings };
}

function errorOf(error: unknown, { memoryBytes }: DocumentLimits): unknown {
  if (error instanceof TaskTimeout)
    return new ChorusError('timeout', `Reading the file took longer than the ${error.limitMs / 1_000} s allowed.`, {
      cause: error,
    });
  if (error instanceof CpuTimeout)
    return new ChorusError(
      'invalid_request',
      `The file cannot be read: it needs more than the ${Math.round(error.limitMs / 1_000)} s of CPU time allowed for its size.`,
      { cause: error },
    );
  if (error instanceof ChildGone)
    return new ChorusError(
      'invalid_request',
      `The file cannot be read: it is damaged or needs more than the ${Math.round(memoryBytes / 1e6)} MB of memory allowed.`,
      { cause: error },
    );
  return error;
}
