import { BlockWriter, type SendBlocks } from './block-writer.ts';
import type { FormatReader, ParseEnd, ParseTask } from './parse-task.ts';

/**
 * Reads one file in the child process; loads each reader on first use. @throws {ChorusError} for problems of
 * the file
 */
export async function parseFile(task: ParseTask, send: SendBlocks): Promise<ParseEnd> {
  const writer = new BlockWriter(send, task.limits.characters);
  const read = await readerOf(task.format);
  const { title = null, pageCount = null, pictures = [], warnings = [] } = await read(task, writer);
  await writer.flush();
  return { title: titleOf(title), pageCount, pictures, warnings };
}

const titleOf = (title: string | null) => title?.replace(/\s+/g, ' ').trim().slice(0, 300) || null;

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
