import type { BlockWriter } from '../block-writer.ts';
import type { FormatReader } from '../parse-task.ts';
import { encodingWarning, linesOf, openText } from '../text/read-text.ts';
import { MarkdownReader } from './markdown-reader.ts';

export const readMarkdownFile: FormatReader = async (task, writer) => {
  const text = await openText(task);
  const reader = new MarkdownReader(writer);
  for (const { line, readBytes } of linesOf(text)) {
    reader.read(line);
    await writer.reach(readBytes, text.sizeBytes);
  }
  reader.end();
  return { title: reader.title ?? writer.firstHeading, ...encodingWarning(text) };
};

export function readMarkdown(text: string, writer: BlockWriter): void {
  const reader = new MarkdownReader(writer, { frontMatter: false });
  for (const line of text.split(/\r?\n/)) reader.read(line);
  reader.end();
}
