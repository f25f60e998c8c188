import { boxAround, median, type Row, toRow } from './row.ts';

/** Lines of a column of figures, and of what stands before them, are no longer than this, in sizes of the type: else they are text in columns. */
const MAX_FIGURES = 12;
const MAX_TERMS = 30;
/** So many of the lines beside each other must stand on one line. */
const LEVEL = 0.7;

/**
 * Engines take columns of a list or a receipt for columns of text, and read one after the other. Here the lines that stand on one line are one row
 * again.
 */
export function joinColumns(rows: readonly Row[]): Row[] {
  const columns: Row[][] = [];
  for (const block of Map.groupBy(rows, (row) => row.block).values()) {
    const at = columns.findIndex((column) => belongTogether(column, block));
    const beside = columns[at];
    if (beside === undefined) columns.push([...block]);
    else columns[at] = joined(beside, block);
  }
  return columns.flat();
}

const widthOf = (rows: readonly Row[]) => median(rows.map(({ box, size }) => box.width / Math.max(1, size)));
const middleOf = ({ box }: Row) => box.y + box.height / 2;

function belongTogether(left: readonly Row[], right: readonly Row[]): boolean {
  if (left.length < 2 || right.length < 2) return false;
  const [one, other] = [boxAround(left.map(({ box }) => box)), boxAround(right.map(({ box }) => box))];
  if (other.x < one.x + one.width || widthOf(right) > MAX_FIGURES || widthOf(left) > MAX_TERMS) return false;
  const level = right.filter((row) => left.some((beside) => isLevel(beside, row))).length;
  return level >= right.length * LEVEL;
}

const isLevel = (one: Row, other: Row) =>
  Math.abs(middleOf(one) - middleOf(other)) < Math.max(one.size, other.size) * 0.4;

function joined(left: readonly Row[], right: readonly Row[]): Row[] {
  const rows = [...left];
  for (const row of right) {
    const at = rows.findIndex((beside) => isLevel(beside, row));
    const beside = rows[at];
    if (beside === undefined) rows.push(row);
    else rows[at] = toRow([...beside.segments, ...row.segments], beside.block);
  }
  return rows.sort((one, other) => middleOf(one) - middleOf(other));
}
