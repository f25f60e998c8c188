import { boxAround, median, type Row, toRow } from './row.ts';

/**
 * Longest line in a column of figures and its labels, relative to the type size; longer lines are text in
 * columns.
 */
const MAX_FIGURES = 12;
const MAX_TERMS = 30;
/** Share of lines that must align with a line beside them. */
const LEVEL = 0.7;

/** Rejoins rows of a list or receipt that the engine read column by column. */
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
