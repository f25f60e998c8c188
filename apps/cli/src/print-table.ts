import { styleText } from 'node:util';
import { printable } from './printable.ts';

export function printTable(headings: string[], rows: (string | null)[][]): void {
  const all = [headings, ...rows.map((row) => row.map((cell) => printable(cell || '-')))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const [index, row] of all.entries()) {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
    process.stdout.write(`${index === 0 ? styleText('bold', line, { stream: process.stdout }) : line}\n`);
  }
}
