import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import { ChildGone, ChildPool, CpuTimeout, cpuBudget, cpuMsFor, lendFile, TaskTimeout } from '@chorus/sandbox';
import {
  type Block,
  DEFAULT_LIMITS,
  type DocumentFile,
  type DocumentLimits,
  type Documents,
  type ParsedDocument,
  type ParseOptions,
} from './documents.ts';
import { type Format, findFormat } from './find-format.ts';
import type { ParsedPiece, ParseEnd, ParseTask } from './parse-task.ts';
import { blocksOfPages, withPictures } from './read-pictures.ts';

export interface DocumentsOptions {
  log: Logger;
  /** Children at once, each of which reads one file; 2 where nothing is said. */
  processes?: number;
  limits?: Partial<DocumentLimits>;
}

const PROGRAM = fileURLToPath(new URL('./parser-main.ts', import.meta.url));

/** Of computing in all the life of a child, in seconds: what runs on natively is ended even when nobody is left to end it. */
const CPU_S = 1_800;
const RETIRED_AFTER = { tasks: 200, cpuMs: 900_000, memoryShare: 0.5 };

/** Reads files of strangers, by children with limits that are started when they are needed first. */
export function createDocuments({ log, processes = 2, limits: given }: DocumentsOptions): Documents {
  const limits: DocumentLimits = { ...DEFAULT_LIMITS, ...given };
  const { memoryBytes } = limits;
  const child = { program: PROGRAM, settings: null, memoryBytes, cpuS: CPU_S, retiredAfter: RETIRED_AFTER };
  const pool = new ChildPool<ParseTask, ParseEnd, ParsedPiece>({
    name: 'a reader of documents',
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
    const blocks: Block[] = [];
    const { signal, onProgress } = options;
    let characters = 0;
    const hear = (told: ParsedPiece) => {
      for (const block of told.blocks) {
        characters += block.text.length;
        blocks.push(block);
      }
      // A child has opened a stranger's file: what it says is counted once more. Headers of tables are said again with each piece.
      if (characters > limits.characters * 2) throw new ChildGone('the child says more than it may');
      onProgress?.(told.done, told.total);
    };
    try {
      const { parseMs: timeoutMs, silenceMs } = limits;
      const cpu = cpuBudget(format === 'pdf' ? cpuMsFor(size) : timeoutMs);
      const end = await pool.run({ path, format, limits }, { owner: options, signal, timeoutMs, silenceMs, cpu, hear });
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
    return { title: null, pageCount: pages.length, blocks: await blocksOfPages(pages, limits), warnings: [] };
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
      // Pictures are read by `readPages`. PDFs need their ending: the library would hand others to programs that convert them.
      const lent = format === 'image' ? null : await lendFile(file.path, format === 'pdf' ? 'file.pdf' : 'file');
      try {
        const document =
          format === 'image' || lent === null
            ? await parseImage(file, options)
            : await parseInChild(lent.path, format, size, options);
        const [warning] = document.warnings;
        if (document.blocks.length === 0)
          throw new ChorusError('invalid_request', `There is no text in the file.${warning ? ` ${warning}` : ''}`);
        const { title, pageCount, blocks, warnings } = document;
        return { title, pageCount, blocks, warnings };
      } finally {
        await lent?.remove();
      }
    },
    async close() {
      pool.close();
    },
  };
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
  if (error instanceof CpuTimeout)
    return new ChorusError(
      'invalid_request',
      `The file can not be read: it takes more than the ${Math.round(error.limitMs / 1_000)} s of computing that are allowed for its size.`,
      { cause: error },
    );
  if (error instanceof ChildGone)
    return new ChorusError(
      'invalid_request',
      `The file can not be read: it is broken, or takes more than the ${Math.round(memoryBytes / 1e6)} MB of memory that are allowed.`,
      { cause: error },
    );
  return error;
}
