import type { OcrWord } from '@chorus/contract';
import type { TextItem } from '@llamaindex/liteparse';
import type { Segment } from './row.ts';

/** Returns an item of a text layer as a segment, or nothing for a blank item. */
export function toSegments({
  text,
  x,
  y,
  width,
  height,
  words = [],
  fontSize,
  fontHeight,
  fontName = '',
}: TextItem): Segment[] {
  const whole = text.trim();
  if (whole === '') return [];
  const box = { x, y, width, height };
  const parts: OcrWord[] = words
    .filter((word) => word.text.trim() !== '')
    .map((word) => ({
      text: word.text.trim(),
      box: { x: word.x, y: word.y, width: word.width, height: word.height },
      confidence: null,
    }));
  const size = fontHeight ?? fontSize ?? height;
  return [
    {
      words: parts.length > 0 ? parts : [{ text: whole, box, confidence: null }],
      box,
      size: size > 0 ? size : height,
      bold: /bold|black|heavy|semib/i.test(fontName),
    },
  ];
}
