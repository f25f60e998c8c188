import type { FormatReader } from '../format-reader.ts';
import { encodingWarning } from '../text/encoding-warning.ts';
import { openText } from '../text/read-text.ts';
import { HtmlReader } from './html-reader.ts';
import { chooseRegion } from './html-region.ts';

/** A page of the web: what it is about, without what surrounds that on all pages of its site. */
export const readHtmlFile: FormatReader = async ({ path, limits }, writer) => {
  const text = await openText(path, limits.textBytes);
  const reader = new HtmlReader(limits.characters);
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
