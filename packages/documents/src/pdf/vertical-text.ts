import type { ParsedPage } from '@llamaindex/liteparse';

interface Glyph {
  text: string;
  x: number;
  y: number;
  /** Font size. */
  em: number;
}

interface Column {
  glyphs: Glyph[];
  x: number;
  top: number;
  bottom: number;
}

/** Scripts that are also written from top to bottom. */
const ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。ー]/u;

const MIN_GLYPHS = 20;
/** Limit of glyphs. No real page has more. */
const MAX_GLYPHS = 20_000;
/** In vertical text, glyphs are this much closer to those below than to those next to them. */
const CLOSER = 0.85;
/** Relative size below which glyphs are ruby text, which shows how others are read. */
const RUBY = 0.6;
/** A wider gap ends a column, and a line that starts later or ends earlier by this ends a paragraph; in font sizes. */
const COLUMN_GAP = 2.5;
const PARAGRAPH_GAP = 0.7;

/** Returns whether a page may have vertical text, so that it should be parsed again with the boxes of words. */
export function mayBeVertical({ text }: Pick<ParsedPage, 'text'>): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const asian = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  // Lines of vertical text have one letter from each column, so they are many and short.
  const lines = text.split('\n').filter((line) => line.trim() !== '').length;
  return asian >= MIN_GLYPHS && asian * 2 > letters && letters < lines * 30;
}

/**
 * Returns the paragraphs of a page with vertical text: columns from right to left, tiers from top to bottom. Null if
 * its text is horizontal.
 *
 * @param page parsed with the boxes of words
 */
export function verticalParagraphs({ textItems }: Pick<ParsedPage, 'textItems'>): string[] | null {
  const all = textItems.flatMap(({ words = [], fontSize, height }) =>
    words.flatMap(({ text, x, y, width }) => {
      const em = fontSize || height;
      const letters = [...text];
      // Words in these scripts are runs of square glyphs.
      if (!letters.every((letter) => ASIAN.test(letter))) return { text, x: x + width / 2, y, em };
      return letters.map((letter, at) => ({ text: letter, x: x + ((at + 0.5) * width) / letters.length, y, em }));
    }),
  );
  const usual = medianOf(all.map(({ em }) => em));
  const glyphs = all.filter(({ em }) => em >= usual * RUBY);
  if (!isVertical(glyphs, usual)) return null;
  return tiersOf(columnsOf(glyphs, usual)).flatMap((tier) => paragraphsOf(tier, usual));
}

function isVertical(glyphs: readonly Glyph[], em: number): boolean {
  const asian = glyphs.filter(({ text }) => ASIAN.test(text));
  if (asian.length < MIN_GLYPHS || glyphs.length > MAX_GLYPHS) return false;
  const below = pitchOf(asian, em, ({ x, y }) => [x, y]);
  const beside = pitchOf(asian, em, ({ x, y }) => [y, x]);
  return below < beside * CLOSER;
}

/** Returns the usual distance to the next glyph on a line. */
function pitchOf(
  glyphs: readonly Glyph[],
  em: number,
  placeOf: (glyph: Glyph) => [line: number, place: number],
): number {
  const places = glyphs.map(placeOf).sort(([one], [other]) => one - other);
  const distances: number[] = [];
  for (let from = 0; from < places.length; ) {
    let to = from + 1;
    while (to < places.length && places[to]![0] - places[to - 1]![0] < em * 0.3) to += 1;
    const line = places.slice(from, to).map(([, place]) => place);
    line.sort((one, other) => one - other);
    for (let at = 1; at < line.length; at += 1) distances.push(line[at]! - line[at - 1]!);
    from = to;
  }
  return distances.length === 0 ? Number.POSITIVE_INFINITY : medianOf(distances);
}

function columnsOf(glyphs: readonly Glyph[], em: number): Column[] {
  const sorted = [...glyphs].sort((one, other) => other.x - one.x || one.y - other.y);
  const lines: Glyph[][] = [];
  for (const glyph of sorted) {
    const line = lines.at(-1);
    if (line !== undefined && line[0]!.x - glyph.x < em * 0.6) line.push(glyph);
    else lines.push([glyph]);
  }
  return lines.flatMap((line) => {
    line.sort((one, other) => one.y - other.y);
    const columns: Column[] = [];
    for (const glyph of line) {
      const column = columns.at(-1);
      const bottom = glyph.y + glyph.em;
      if (column !== undefined && glyph.y - column.bottom < em * COLUMN_GAP) {
        column.glyphs.push(glyph);
        column.bottom = bottom;
      } else columns.push({ glyphs: [glyph], x: glyph.x, top: glyph.y, bottom });
    }
    return columns;
  });
}

/** Groups adjacent columns. */
function tiersOf(columns: readonly Column[]): Column[][] {
  const tiers: { top: number; bottom: number; columns: Column[] }[] = [];
  for (const column of [...columns].sort((one, other) => one.top - other.top)) {
    const tier = tiers.find(({ top, bottom }) => column.top < bottom && column.bottom > top);
    if (tier === undefined) tiers.push({ top: column.top, bottom: column.bottom, columns: [column] });
    else {
      tier.columns.push(column);
      tier.bottom = Math.max(tier.bottom, column.bottom);
    }
  }
  return tiers.map((tier) => tier.columns.sort((one, other) => other.x - one.x));
}

function paragraphsOf(tier: readonly Column[], em: number): string[] {
  const top = Math.min(...tier.map((column) => column.top));
  const bottom = Math.max(...tier.map((column) => column.bottom));
  const paragraphs: string[] = [];
  for (const [at, { glyphs, top: begin }] of tier.entries()) {
    const text = glyphs.map((glyph) => glyph.text).join('');
    const before = tier[at - 1];
    const isNew =
      begin - top > em * PARAGRAPH_GAP || (before !== undefined && bottom - before.bottom > em * COLUMN_GAP);
    if (before === undefined || isNew) paragraphs.push(text);
    else paragraphs.push(`${paragraphs.pop()}${text}`);
  }
  return paragraphs;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
