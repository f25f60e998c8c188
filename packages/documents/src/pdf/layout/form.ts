import { findRows, middleOf } from './find-rows.ts';
import { boxAround, median, type Row, type Segment, textOfSegment, toRow } from './row.ts';

/** Maximum rows of an address, or of labels with values. */
const MAX_ROWS = 12;
const MOST = 0.6;
/** Share of rows that must be level with an adjacent row, within this distance relative to the font size. */
const ALIGNED = 0.7;
const LEVEL = 0.35;
const MAX_OFFSET = 0.4;
/** Minimum gaps between blocks on the same rows, relative to the font size, and to the gaps within them. */
const ADDRESS_GAP = 4;
const BLOCK_GAP = 6;
const BLOCK_GAPS = 2;

const AMOUNT =
  /^[-+(]?\s*(?:\p{Sc}|[A-Z]{2,3}\b)?\s*[-+(]?\d[\d.,'’\s]*[-+)]?\s*(?:\p{Sc}|%|[A-Z]{2,3}|[a-z]{1,3}\.?)?$/u;

/** Returns whether a cell is an amount, a date, or a count. */
export function isValue(text: string): boolean {
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  return digits > 0 && text.length <= 30 && (AMOUNT.test(text) || digits > (text.match(/\p{L}/gu)?.length ?? 0));
}

interface Side {
  rows: Row[];
  /** Lines of one cell, such as an address, or rows of labels with values. */
  kind: 'lines' | 'form';
  size: number;
}

/** Returns whether neighbors are an address, or labels with their values, which do not share their rows. */
export function areSeparate(left: readonly Segment[], right: readonly Segment[], gap: number): boolean {
  const [one, other] = [sideOf(left), sideOf(right)];
  if (one === null || other === null) return false;
  if (!isAligned(one, other)) return true;
  const size = Math.max(one.size, other.size);
  if (one.kind === 'lines' && other.kind === 'lines')
    return gap > size * ADDRESS_GAP && isAddress(one) && isAddress(other);
  if (one.kind === 'form' && other.kind === 'form') return false;
  const [lines, form] = one.kind === 'lines' ? [one, other] : [other, one];
  if (gap < size * BLOCK_GAP || gap < innerGap(form) * BLOCK_GAPS) return false;
  return form.rows.filter(isColoned).length > form.rows.length / 2 || lines.rows.length < form.rows.length;
}

function sideOf(segments: readonly Segment[]): Side | null {
  if (segments.length < 2 || segments.length > MAX_ROWS * 6) return null;
  const rows = findRows(segments).map((row) => toRow(row, 0));
  if (rows.length < 2 || rows.length > MAX_ROWS) return null;
  const kind = kindOf(rows);
  return kind === null ? null : { rows, kind, size: median(rows.map((row) => row.size)) };
}

function kindOf(rows: readonly Row[]): Side['kind'] | null {
  const values = rows.filter(({ segments: [first] }) => isValue(textOfSegment(first as Segment)));
  if (values.length * 2 > rows.length) return null;
  if (rows.every(({ segments }) => segments.length === 1)) return 'lines';
  const pairs = rows.filter(isPair);
  return pairs.length >= Math.max(2, rows.length * MOST) && isPair(rows[0] as Row) ? 'form' : null;
}

const isPair = (row: Row): boolean =>
  row.segments.length > 1 && (isColoned(row) || isValue(textOfSegment(row.segments.at(-1) as Segment)));

const isColoned = ({ segments: [first] }: Row): boolean => /[:：]$/.test(textOfSegment(first as Segment));

/** Addresses have house numbers or postal codes. */
function isAddress({ rows }: Side): boolean {
  const texts = rows.map(({ segments }) => textOfSegment(segments[0] as Segment));
  return rows.length > 2 && texts.some((text) => /\p{Nd}/u.test(text)) && texts.every((text) => /\p{L}{2}/u.test(text));
}

function isAligned(one: Side, other: Side): boolean {
  const size = Math.max(one.size, other.size);
  const [few, many] = one.rows.length < other.rows.length ? [one.rows, other.rows] : [other.rows, one.rows];
  const box = boxAround(many.map((row) => row.box));
  const beside = few.filter((row) => middleOf(row) > box.y && middleOf(row) < box.y + box.height);
  if (beside.length < 2) return false;
  const offsets = beside.map((row) => {
    const all = many.map((partner) => middleOf(partner) - middleOf(row));
    return all.reduce((best, offset) => (Math.abs(offset) < Math.abs(best) ? offset : best));
  });
  const usual = median(offsets);
  const level = offsets.filter((offset) => Math.abs(offset - usual) < size * LEVEL);
  return Math.abs(usual) < size * MAX_OFFSET && level.length >= beside.length * ALIGNED;
}

function innerGap({ rows }: Side): number {
  const values = rows.flatMap(({ segments: [label, value] }) =>
    label && value ? [[label.box, value.box] as const] : [],
  );
  const left = Math.max(...values.map(([label]) => label.x + label.width));
  return Math.max(0, Math.min(...values.map(([, value]) => value.x)) - left);
}
