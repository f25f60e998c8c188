import type { FormatReader } from '../parse-task.ts';
import { encodingWarning, linesOf, openText } from '../text/read-text.ts';

/** Maximum length of a code block, in lines. Blank lines may cut it earlier. */
const MAX_CODE_LINES = 400;

/** Reads paragraphs separated by blank lines. Code and tables drawn with spaces keep their lines. */
export const readPlainText: FormatReader = async (task, writer) => {
  const text = await openText(task);
  const isCode = task.format === 'code';
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0) writer.add(isCode || isSetInColumns(lines) ? 'code' : 'paragraph', lines.join('\n'));
    lines = [];
  };
  for (const { line, readBytes } of linesOf(text)) {
    // A form feed starts a new printed page.
    const isEmpty = line.trim() === '';
    if (!isEmpty || (isCode && lines.length > 0)) lines.push(line);
    if (isEmpty && (!isCode || lines.length > MAX_CODE_LINES / 2)) close();
    else if (isCode && lines.length >= MAX_CODE_LINES) close();
    await writer.reach(readBytes, text.sizeBytes);
  }
  close();
  return encodingWarning(text);
};

function isSetInColumns(lines: readonly string[]): boolean {
  const columns = lines.filter((line) => /\S(?: {3,}|\t+)\S/.test(line)).length;
  return lines.length > 2 && columns * 2 > lines.length;
}
