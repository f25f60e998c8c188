import { findTable, median, type Row, type Table, textOfRow } from '@chorus/documents/pdf';

export type Block =
  | { type: 'heading'; level: number; rows: Row[] }
  | { type: 'paragraph'; rows: Row[] }
  | { type: 'item'; depth: number; marker: string; rows: Row[] }
  | { type: 'table'; table: Table; rows: Row[] };

/** Minimum size of a heading, relative to body text. */
export interface LayoutOptions {
  headingSize: number;
}

const MAX_HEADING_CHARACTERS = 150;
const MAX_HEADING_ROWS = 3;
const MAX_LEVEL = 4;
const PARAGRAPH_GAP = 0.7;
const INDENT = 0.8;
/** Share of the width left empty by the last row of a paragraph. */
const SHORT = 0.8;
/** Rows that leave more empty are separate lines, as in addresses. */
const VERY_SHORT = 0.6;
const ITEM = /^(?:([•◦▪■●○‣·∙*–—-])|(\(?\d{1,3}[.)])|(\(?[a-z][.)]))\s+(?=\S)/i;

export function findBlocks(rows: readonly Row[], { headingSize }: LayoutOptions): Block[] {
  const usual = typicalSize(rows);
  const levels = levelsOf(rows, usual * headingSize);
  const blocks: Block[] = [];
  for (let at = 0; at < rows.length; ) {
    const found = findTable(rows.slice(at, at + 200));
    if (found !== null) {
      blocks.push({ type: 'table', table: found.table, rows: rows.slice(at, at + found.rows) });
      at += found.rows;
      continue;
    }
    const group = [rows[at] as Row];
    const item = ITEM.exec(textOfRow(group[0] as Row));
    for (at += 1; at < rows.length; at += 1) {
      const row = rows[at] as Row;
      if (!(item ? continuesItem(group, row) : continuesParagraph(group, row))) break;
      group.push(row);
    }
    const level = levelOf(group, levels, usual);
    if (item !== null && level === null) {
      const marker = item[0].trim();
      blocks.push({ type: 'item', depth: 0, marker, rows: group });
    } else if (level !== null) blocks.push({ type: 'heading', level, rows: group });
    else blocks.push({ type: 'paragraph', rows: group });
  }
  setDepths(blocks);
  return blocks;
}

function typicalSize(rows: readonly Row[]): number {
  return median(rows.flatMap((row) => new Array<number>(Math.min(200, textOfRow(row).length)).fill(row.size)));
}

/** Returns heading sizes, largest first. Nearly equal sizes count as one. */
function levelsOf(rows: readonly Row[], least: number): number[] {
  const sizes = rows.filter(({ size }) => size >= least).map(({ size }) => size);
  const levels: number[] = [];
  for (const size of sizes.sort((a, b) => b - a)) if (levels.every((level) => size < level * 0.92)) levels.push(size);
  return levels;
}

function levelOf(rows: readonly Row[], levels: readonly number[], usual: number): number | null {
  const text = rows.map(textOfRow).join(' ');
  if (rows.length > MAX_HEADING_ROWS || text.length > MAX_HEADING_CHARACTERS || !/\p{L}{2}/u.test(text)) return null;
  const size = median(rows.map((row) => row.size));
  const level = levels.findIndex((least) => size >= least * 0.92);
  if (level !== -1) return Math.min(level + 1, MAX_LEVEL);
  const standsOut = rows.every(({ bold }) => bold) && size >= usual * 0.95 && !/[.,;:!?]$/.test(text);
  return standsOut ? Math.min(levels.length + 1, MAX_LEVEL) : null;
}

const endOf = ({ box }: Row) => box.x + box.width;

function isNear(last: Row, row: Row): boolean {
  const size = Math.max(last.size, row.size);
  const gap = row.box.y - last.box.y - last.box.height;
  const shared = Math.min(endOf(last), endOf(row)) - Math.max(last.box.x, row.box.x);
  if (row.box.y <= last.box.y || shared <= 0 || Math.min(last.size, row.size) < size * 0.8) return false;
  if (isBroken(last, row)) return gap < size * 2;
  const alike = last.bold === row.bold || isOpen(last, row);
  return alike && last.block === row.block && gap < size * PARAGRAPH_GAP;
}

const isBroken = (last: Row, row: Row) => /\p{L}[-\u00ad]$/u.test(textOfRow(last)) && /^\p{Ll}/u.test(textOfRow(row));

const isOpen = (last: Row, row: Row) => !/[.!?:;]["”’)]?$/.test(textOfRow(last)) && /^\p{Ll}/u.test(textOfRow(row));

function continuesParagraph(group: readonly Row[], row: Row): boolean {
  const last = group.at(-1) as Row;
  if (!isNear(last, row) || row.segments.length > 1 || ITEM.test(textOfRow(row))) return false;
  if (isBroken(last, row)) return true;
  const left = Math.min(...group.map(({ box }) => box.x), row.box.x);
  const right = Math.max(...group.map(endOf), endOf(row));
  const indented = row.box.x > left + row.size * INDENT && last.box.x < left + last.size * INDENT;
  const filled = (endOf(last) - left) / (right - left);
  const ended = /[.!?:"”’)]$/.test(textOfRow(last)) && filled < SHORT;
  const alone = /^[\p{Lu}\p{Nd}]/u.test(textOfRow(row)) && filled < VERY_SHORT;
  return !indented && !ended && !alone;
}

/** Rows that continue an item align with its text, not its marker. */
function continuesItem(group: readonly Row[], row: Row): boolean {
  const [first] = group as [Row];
  const last = group.at(-1) as Row;
  if (!isNear(last, row) || row.segments.length > 1 || ITEM.test(textOfRow(row))) return false;
  return row.box.x > first.box.x + first.size * 0.4;
}

function setDepths(blocks: readonly Block[]): void {
  let starts: number[] = [];
  for (const block of blocks) {
    if (block.type !== 'item') {
      starts = [];
      continue;
    }
    const [first] = block.rows as [Row];
    const near = first.size * 0.6;
    starts = starts.filter((start) => start < first.box.x - near);
    block.depth = Math.min(starts.length, 5);
    starts.push(first.box.x);
  }
}
