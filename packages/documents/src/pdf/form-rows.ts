import type { LayoutBlock, ParsedPage } from '@llamaindex/liteparse';
import { findTable } from './layout/find-table.ts';
import { isValue } from './layout/form.ts';
import { readingOrder } from './layout/reading-order.ts';
import { type Box, boxAround, type Row, textOfRow, textOfSegment } from './layout/row.ts';
import { toSegments } from './layout/to-segments.ts';
import { lettersOf, textOf } from './letters.ts';

type Page = Pick<ParsedPage, 'textItems' | 'blocks'>;

/** Regions with more cells are drawings rather than forms, and take too long. */
const MAX_ITEMS = 2_000;
/** A region is a form if at least this share of its rows has values. */
const MOST = 0.5;

/** Maximum length of a cell of a form, or of a line of an address, relative to the font size. */
const MAX_CELL = 20;

interface Region {
  rows: Row[];
  box: Box;
}

/**
 * Rewrites regions in which the layout analysis has separated labels from their values, or merged rows of them. Other
 * blocks stay unchanged.
 */
export function withFormRows({ textItems, blocks = [] }: Page): LayoutBlock[] {
  const values = textItems.filter(({ text }) => isValue(text.trim())).length;
  if (values < 2 || textItems.length > MAX_ITEMS) return blocks;
  const regions = [...Map.groupBy(readingOrder(textItems.flatMap(toSegments)), ({ block }) => block).values()].map(
    (rows): Region => ({ rows, box: boxAround(rows.map(({ box }) => box)) }),
  );
  const units = blocks.map(unitsOf);
  const merged = blocks.flatMap((block) => mergedRegions(block, regions));
  const torn = new Set([...regions.filter((region) => isTorn(region, blocks, units)), ...merged]);
  if (torn.size === 0) return blocks;
  const replaced = new Set<LayoutBlock>();
  for (let grown = true; grown; ) {
    grown = false;
    for (const block of blocks) {
      if (replaced.has(block) || ![...torn].some((region) => share(block, region))) continue;
      replaced.add(block);
      grown = true;
      // Otherwise, the rest of a replaced block would be lost.
      for (const region of regions) if (share(block, region)) torn.add(region);
    }
  }
  const written = Map.groupBy(
    regions.filter((region) => torn.has(region)),
    (region) => blocks.findIndex((block) => replaced.has(block) && share(block, region)),
  );
  const rewrite = (at: number) => (written.get(at) ?? []).flatMap(({ rows }) => blocksOf(rows));
  return [...blocks.flatMap((block, at) => [...rewrite(at), ...(replaced.has(block) ? [] : [block])]), ...rewrite(-1)];
}

/** Returns the letters of each line of a block that may contain a label and its value. */
function unitsOf(block: LayoutBlock): string[] {
  const { kind, lines = [], header = [], rows = [] } = block;
  if (kind === 'table') return [header, ...rows].map((row) => lettersOf(row.map((cell) => cell.text).join('')));
  return kind === 'code' || kind === 'grid_fallback' ? lines.map(lettersOf) : [lettersOf(textOf(block))];
}

/** Returns whether labels and values of a region are not on the same line, one pair per line. */
function isTorn(region: Region, blocks: readonly LayoutBlock[], units: readonly string[][]): boolean {
  const { rows } = region;
  const pairs = rows.filter(({ segments }) => segments.length > 1 && segments.slice(1).some(hasValue));
  if (pairs.length === 0 || pairs.length < rows.length * MOST) return false;
  const near = blocks.flatMap((block, at) => (share(block, region) ? (units[at] as string[]) : []));
  const used = new Set<number>();
  return pairs.some(({ segments }) => {
    const cells = segments.map((segment) => lettersOf(textOfSegment(segment)));
    const at = near.findIndex((unit, index) => !used.has(index) && cells.every((cell) => unit.includes(cell)));
    used.add(at);
    return at < 0;
  });
}

/** Returns adjacent regions, such as an address and labels, whose rows were merged into one block. */
function mergedRegions(block: LayoutBlock, regions: readonly Region[]): Region[] {
  const inside = regions.filter((region) => isShort(region) && share(block, region));
  return inside.filter(({ box }) =>
    inside.some(({ box: other }) => box !== other && box.y < other.y + other.height && other.y < box.y + box.height),
  );
}

/** Maximum length of a row. Longer ones are text in columns. */
const isShort = ({ rows }: Region): boolean =>
  rows.every(({ segments, size }) => segments.every(({ box }) => box.width < size * MAX_CELL));

const hasValue = (segment: Row['segments'][number]): boolean => isValue(textOfSegment(segment));

/** Returns whether a block contains a cell of a region. */
function share({ bbox, ...block }: LayoutBlock, { rows, box }: Region): boolean {
  if (bbox === undefined || textOf(block) === '' || !isInside(box, bbox, true)) return false;
  return rows.some(({ segments }) => segments.some((segment) => isInside(segment.box, bbox)));
}

/** Returns whether the middle of a box, or any of it, is inside another. */
function isInside({ x, y, width, height }: Box, other: Box, partly = false): boolean {
  const [reach, depth] = partly ? [width / 2, height / 2] : [0, 0];
  const [across, down] = [x + width / 2, y + height / 2];
  return (
    across + reach > other.x &&
    across - reach < other.x + other.width &&
    down + depth > other.y &&
    down - depth < other.y + other.height
  );
}

function blocksOf(rows: readonly Row[]): LayoutBlock[] {
  const blocks: LayoutBlock[] = [];
  for (let at = 0; at < rows.length; ) {
    const found = findTable(rows.slice(at));
    const row = rows[at] as Row;
    if (found !== null) blocks.push(tableOf(found.table));
    else if (row.segments.length > 1) blocks.push({ kind: 'paragraph', text: textOfRow(row) });
    else {
      let end = at;
      while (rows[end]?.segments.length === 1) end += 1;
      blocks.push({ kind: 'paragraph', text: rows.slice(at, end).map(textOfRow).join(' ') });
      at = end - 1;
    }
    at += found?.rows ?? 1;
  }
  return blocks;
}

const tableOf = (table: readonly string[][]): LayoutBlock =>
  ({ kind: 'table', rows: table.map((cells) => cells.map((text) => ({ text }))) }) as LayoutBlock;
