import { findRows } from './find-rows.ts';
import { areSeparate, isValue } from './form.ts';
import { boxAround, median, type Row, type Segment, textOfSegment, toRow } from './row.ts';

const MIN_GUTTER = 0.8;
/** Minimum width of text columns, relative to the font size, and how full they are, unlike table cells. */
const COLUMN_WIDTH = 10;
const COLUMN_FILL = 0.5;
const COLUMN_LINES = 3;
/** Gap between blocks, relative to the font size and to the usual line gap. */
const BLOCK_GAP = 0.7;
const BLOCK_GAPS = 1.5;
/** Maximum size of a pair of blocks such as addresses. */
const MAX_FORM = 100;
/** Maximum density of a page to search for columns. */
const MAX_SEGMENTS = 5_000;

/**
 * Sorts rows into reading order: blocks from top to bottom, and text column by column. Adjacent labels and values share
 * a row.
 */
export function readingOrder(segments: readonly Segment[]): Row[] {
  if (segments.length > MAX_SEGMENTS) return findRows(segments).map((row) => toRow(row, 0));
  const size = median(segments.map((segment) => segment.size));
  return regionsOf(segments, size).flatMap((region, block) => findRows(region).map((row) => toRow(row, block)));
}

/** Splits recursively at gutters, or else at the widest gap between blocks. */
function regionsOf(segments: readonly Segment[], size: number): Segment[][] {
  const regions: Segment[][] = [];
  const waiting = [[...segments]];
  for (let region = waiting.pop(); region !== undefined; region = waiting.pop()) {
    const parts = cutAtGutter(region, size) ?? cutBesideForm(region, size) ?? cutBetweenBlocks(region, size);
    if (parts === null) regions.push(region);
    else waiting.push(parts[1], parts[0]);
  }
  return regions;
}

type Cut = [Segment[], Segment[]];

function cutAtGutter(region: readonly Segment[], size: number): Cut | null {
  let widest = 0;
  let cut: Cut | null = null;
  for (const { at, width } of gapsOf(region, 'x', 'width')) {
    if (width < size * MIN_GUTTER || width <= widest) continue;
    const sides = splitAt(region, 'x', at);
    if (!sides.every((side) => isColumn(side, size)) || isColumnOfValues(sides[1])) continue;
    widest = width;
    cut = sides;
  }
  return cut;
}

function isColumn(segments: readonly Segment[], size: number): boolean {
  if (segments.length < COLUMN_LINES) return false;
  const usual = median(segments.map(({ box }) => box.width));
  return usual >= size * COLUMN_WIDTH && usual >= boxAround(segments.map(({ box }) => box)).width * COLUMN_FILL;
}

/** Amounts belong to the labels on their left, even if these are long. */
const isColumnOfValues = (segments: readonly Segment[]): boolean =>
  segments.filter((segment) => isValue(textOfSegment(segment))).length * 2 > segments.length;

/** Cuts at the widest gap between an address, or labels with values, and an adjacent block. */
function cutBesideForm(region: readonly Segment[], size: number): Cut | null {
  if (region.length > MAX_FORM) return null;
  const gaps = gapsOf(region, 'x', 'width').filter(({ width }) => width > size * MIN_GUTTER);
  for (const { at, width } of gaps.sort((one, other) => other.width - one.width)) {
    const sides = splitAt(region, 'x', at);
    if (areSeparate(...sides, width)) return sides;
  }
  return null;
}

function cutBetweenBlocks(region: readonly Segment[], size: number): Cut | null {
  const gaps = gapsOf(region, 'y', 'height');
  // Touching lines have no gap between them, but also count.
  const lines = Math.max(1, findRows(region).length - 1);
  const widths = [...gaps.map(({ width }) => width), ...new Array<number>(Math.max(0, lines - gaps.length)).fill(0)];
  const least = Math.max(size * BLOCK_GAP, lines < 3 ? 0 : median(widths) * BLOCK_GAPS);
  const widest = gaps.reduce((best, gap) => (gap.width > best.width ? gap : best), { at: 0, width: 0 });
  return widest.width < least || widest.width === 0 ? null : splitAt(region, 'y', widest.at);
}

function gapsOf(
  segments: readonly Segment[],
  start: 'x' | 'y',
  length: 'width' | 'height',
): { at: number; width: number }[] {
  const sorted = [...segments].sort((one, other) => one.box[start] - other.box[start]);
  const gaps: { at: number; width: number }[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const { box } of sorted) {
    if (box[start] > end) gaps.push({ at: (end + box[start]) / 2, width: box[start] - end });
    end = Math.max(end === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : end, box[start] + box[length]);
  }
  return gaps;
}

function splitAt(segments: readonly Segment[], axis: 'x' | 'y', at: number): Cut {
  return [segments.filter(({ box }) => box[axis] < at), segments.filter(({ box }) => box[axis] >= at)];
}
