import type { OcrPage, OcrWord } from '@chorus/contract';
import type { Engine } from '../engine/engine-port.ts';
import { mendWords } from '../engine/mend-words.ts';
import { parseTsv, type ReadLine } from '../engine/parse-tsv.ts';
import { type PreparedPage, preparePage, upsideDown } from '../image/prepare-page.ts';
import { confidenceOf } from '../layout/confidence.ts';
import { joinColumns } from '../layout/join-columns.ts';
import { median, type Segment, toRow } from '../layout/row.ts';
import { toPage } from '../layout/to-page.ts';
import type { OpenedPage } from './image-file.ts';

/** What is believed less than this may be upside down. */
const DOUBTED = 0.6;
/** Headings of a picture: sizes are measured, and vary. */
const HEADING_SIZE = 1.25;

/** Reads a picture; the other way up too, where nobody knows which way that is. */
export async function readPicture(
  engine: Engine,
  languages: readonly string[],
  { raster, width, height, number }: OpenedPage & { number: number },
): Promise<OcrPage> {
  let prepared = await preparePage(raster);
  let lines = prepared.blank ? [] : parseTsv(await engine.read(prepared.picture, languages, prepared.shaded));
  if (prepared.unsure && beliefIn(lines) < DOUBTED) {
    const turned = await upsideDown(prepared);
    const other = parseTsv(await engine.read(turned.picture, languages, turned.shaded));
    if (beliefIn(other) * lengthOf(other) > beliefIn(lines) * lengthOf(lines)) [prepared, lines] = [turned, other];
  }
  const unit = width / raster.width;
  const rows = lines.map((line) => toRow(segmentsOf(line, prepared, unit), line.block));
  return toPage({
    number,
    ...(prepared.sideways ? { width: height, height: width } : { width, height }),
    rotation: rounded((prepared.rotation + 360) % 360),
    source: 'image',
    rows: mendWords(joinColumns(rows), languages),
    headingSize: HEADING_SIZE,
  });
}

const rounded = (value: number) => Math.round(value * 100) / 100;
const wordsOf = (lines: readonly ReadLine[]) => lines.flatMap(({ words }) => words);
const beliefIn = (lines: readonly ReadLine[]) => confidenceOf(wordsOf(lines)) ?? 0;
const lengthOf = (lines: readonly ReadLine[]) => wordsOf(lines).reduce((sum, { text }) => sum + text.length, 0);

/** A segment for each word, on the upright page. */
function segmentsOf({ words }: ReadLine, { scaleX, scaleY }: PreparedPage, unit: number): Segment[] {
  const placed: OcrWord[] = words.map(({ text, left, top, width, height, confidence }) => ({
    text,
    box: {
      x: (left / scaleX) * unit,
      y: (top / scaleY) * unit,
      width: (width / scaleX) * unit,
      height: (height / scaleY) * unit,
    },
    confidence,
  }));
  const size = median(placed.map(sizeOf));
  return placed.map((word) => ({ words: [word], box: word.box, size, bold: false }));
}

/** The size of the type, from how far a word's letters reach up and down. */
function sizeOf({ text, box }: OcrWord): number {
  const up = /[\p{Lu}\p{Nd}bdfhklt!?()[\]{}|/\\"'“”‘’$&%#@]/u.test(text);
  const down = /[gjpqy,;()[\]{}|Q]/.test(text);
  const share = up && down ? 0.95 : up ? 0.73 : down ? 0.73 : 0.53;
  return box.height / share;
}
