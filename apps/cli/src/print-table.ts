import { printable } from './printable.ts';

/** Prints rows under their headings, in columns. Null and what is empty is a dash. */
export function printTable(headings: string[], rows: (string | null)[][]): void {
  const all = [headings, ...rows.map((row) => row.map((cell) => printable(cell || '-')))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}
