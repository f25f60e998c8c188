import type { FormatReader } from '../parse-task.ts';
import { encodingWarning, openText } from '../text/read-text.ts';
import { HtmlReader } from './html-reader.ts';
import { chooseRegion } from './html-region.ts';

export const readHtmlFile: FormatReader = async (task, writer) => {
  const text = await openText(task);
  const reader = new HtmlReader(task.limits.characters);
  for (const { text: piece, readBytes } of text.pieces()) {
    reader.read(piece);
    await writer.reach(readBytes, text.sizeBytes);
  }
  reader.end();
  for (const { type, text, level } of chooseRegion(reader.pieces)) {
    writer.add(type, text, { level });
    await writer.reach(1, 1);
  }
  return { title: reader.title ?? writer.firstHeading, ...encodingWarning(text) };
};
