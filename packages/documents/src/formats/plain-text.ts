import type { FormatReader } from '../format-reader.ts';
import { encodingWarning } from '../text/encoding-warning.ts';
import { linesOf, openText } from '../text/read-text.ts';

/** Lines of code that make a block at most: it may be cut at its empty lines before. */
const LONGEST_CODE = 400;

/** Paragraphs as empty lines part them; of what programs write, and of tables drawn with blanks, the lines as they are. */
export const readPlainText: FormatReader = async ({ path, format, limits }, writer) => {
  const text = await openText(path, limits.textBytes);
  const isCode = format === 'code';
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0) writer.add(isCode || isDrawn(lines) ? 'code' : 'paragraph', lines.join('\n'));
    lines = [];
  };
  for (const { line, readBytes } of linesOf(text)) {
    // A form feed begins a page of print.
    const isEmpty = line.trim() === '';
    if (!isEmpty || (isCode && lines.length > 0)) lines.push(line);
    if (isEmpty && (!isCode || lines.length > LONGEST_CODE / 2)) close();
    else if (isCode && lines.length >= LONGEST_CODE) close();
    await writer.reach(readBytes, text.sizeBytes);
  }
  close();
  return encodingWarning(text);
};

/** Whether most of the lines stand in columns. */
function isDrawn(lines: readonly string[]): boolean {
  const columns = lines.filter((line) => /\S(?: {3,}|\t+)\S/.test(line)).length;
  return lines.length > 2 && columns * 2 > lines.length;
}
