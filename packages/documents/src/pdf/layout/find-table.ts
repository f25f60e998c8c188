import { type Row, textOfSegment } from './row.ts';

/** Cells by row; the first row is the header. */
export type Table = string[][];

const MIN_ROWS = 2;
/** Minimum rows of a table with two columns. Fewer are more often a list of terms, or coincidence. */
const MIN_ROWS_OF_TWO = 3;
const MAX_COLUMNS = 30;

/** Returns the table at the start of these rows, and its number of rows. Null: there is none. */
export function findTable(rows: readonly Row[]): { table: Table; rows: number } | null {
  let count = 0;
  while (count < rows.length && (rows[count] as Row).segments.length > 1 && isBelow(rows[count], rows[count - 1]))
    count += 1;
  for (; count >= MIN_ROWS; count -= 1) {
    const some = rows.slice(0, count);
    const columns = columnsOf(some);
    if (columns === null || (columns.length === 2 && count < MIN_ROWS_OF_TWO)) continue;
    return { table: some.map((row) => cellsOf(row, columns)), rows: count };
  }
  return null;
}

/** Rows of an adjacent block do not belong to the table. */
const isBelow = (row: Row | undefined, above: Row | undefined): boolean =>
  row === undefined || above === undefined || row.box.y > above.box.y;

interface Column {
  left: number;
  right: number;
}

/** Returns the columns shared by all rows. Null if two cells of a row would share a column. */
function columnsOf(rows: readonly Row[]): Column[] | null {
  const spans = rows
    .flatMap(({ segments }) => segments.map(({ box }) => ({ left: box.x, right: box.x + box.width })))
    .sort((one, other) => one.left - other.left);
  const columns: Column[] = [];
  for (const { left, right } of spans) {
    const last = columns.at(-1);
    if (last !== undefined && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  if (columns.length < 2 || columns.length > MAX_COLUMNS) return null;
  const fits = rows.every(
    ({ segments }) => new Set(segments.map(({ box }) => columnAt(columns, box.x))).size === segments.length,
  );
  return fits ? columns : null;
}

const columnAt = (columns: readonly Column[], x: number) =>
  columns.findIndex(({ left, right }) => x >= left && x < right);

function cellsOf({ segments }: Row, columns: readonly Column[]): string[] {
  const cells = columns.map(() => '');
  for (const segment of segments) cells[columnAt(columns, segment.box.x)] = textOfSegment(segment);
  return cells;
}
