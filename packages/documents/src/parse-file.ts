import type { SendBlocks } from './block-writer.ts';
import type { FormatReader, ParseEnd, ParseTask } from './parse-task.ts';
import { readInto } from './read-into.ts';

/**
 * Reads one file in the child process. Loads each reader on first use.
 * @throws {ChorusError} for problems of the file
 */
export async function parseFile(task: ParseTask, send: SendBlocks): Promise<ParseEnd> {
  return readInto(send, task, await readerOf(task.format));
}

async function readerOf(format: ParseTask['format']): Promise<FormatReader> {
  switch (format) {
    case 'pdf':
      return (await import('./formats/pdf.ts')).readPdf;
    case 'package':
      return (await import('./formats/package.ts')).readPackage;
    case 'html':
      return (await import('./formats/html.ts')).readHtmlFile;
    case 'markdown':
      return (await import('./formats/markdown.ts')).readMarkdownFile;
    case 'csv':
      return (await import('./formats/csv.ts')).readCsv;
    case 'plain':
    case 'code':
      return (await import('./formats/plain-text.ts')).readPlainText;
    default:
      throw format satisfies never;
  }
}
