import type { OcrPage, OcrWord } from '@chorus/contract';
import { median, readingOrder, type Segment, toRow } from '@chorus/documents/pdf';
import { correctWords } from '../engine/correct-words.ts';
import type { Engine } from '../engine/engine-port.ts';
import type { ReadLine } from '../engine/parse-tsv.ts';
import { readPage } from '../engine/read-page.ts';
import type { PageLanguages } from '../engine/scripts.ts';
import type { PreparedPage } from '../image/prepare-page.ts';
import { toPage } from '../layout/to-page.ts';
import { toVerticalPage } from '../layout/to-vertical-page.ts';
import type { OpenedPage } from './image-file.ts';

/** Minimum size of a heading in an image, where sizes are measured and vary, relative to body text. */
const HEADING_SIZE = 1.25;

export async function readPicture(
  engine: Engine,
  { languages, vertical }: PageLanguages,
  { raster, width, height, number }: OpenedPage & { number: number },
): Promise<OcrPage> {
  const { prepared, lines, script, isVertical } = await readPage(engine, { languages, vertical }, raster);
  const unit = width / raster.width;
  // The engine may read labels and amounts as separate columns.
  const cells = lines.flatMap((line, at) =>
    toRow(segmentsOf(line, prepared, unit), 0).segments.map((cell) => ({ ...cell, line: at })),
  );
  const facts = {
    number,
    ...(prepared.turn % 180 !== 0 ? { width: height, height: width } : { width, height }),
    rotation: rounded((prepared.rotation + 360) % 360),
    source: 'image' as const,
    ...(script && { script }),
  };
  if (isVertical)
    return toVerticalPage(
      facts,
      lines.map((line) => segmentsOf(line, prepared, unit)),
    );
  return toPage({ ...facts, rows: correctWords(readingOrder(cells), languages), headingSize: HEADING_SIZE });
}

const rounded = (value: number) => Math.round(value * 100) / 100;

function segmentsOf({ words }: ReadLine, { scaleX, scaleY, left: x, top: y }: PreparedPage, unit: number): Segment[] {
  const placed: OcrWord[] = words.map(({ text, left, top, width, height, confidence }) => ({
    text,
    box: {
      x: (x + left / scaleX) * unit,
      y: (y + top / scaleY) * unit,
      width: (width / scaleX) * unit,
      height: (height / scaleY) * unit,
    },
    confidence,
  }));
  const size = median(placed.map(sizeOf));
  return placed.map((word) => ({ words: [word], box: word.box, size, bold: false }));
}

function sizeOf({ text, box }: OcrWord): number {
  const up = /[\p{Lu}\p{Nd}bdfhklt!?()[\]{}|/\\"'“”‘’$&%#@]/u.test(text);
  const down = /[gjpqy,;()[\]{}|Q]/.test(text);
  const share = up && down ? 0.95 : up ? 0.73 : down ? 0.73 : 0.53;
  return box.height / share;
}
