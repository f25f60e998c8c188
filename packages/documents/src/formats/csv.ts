import type { FormatReader } from '../parse-task.ts';
import { encodingWarning, openText } from '../text/read-text.ts';
import { TableWriter } from '../text/write-table.ts';
import { CsvReader } from './csv-reader.ts';

const SAMPLE_LINES = 20;

export const readCsv: FormatReader = async (task, writer) => {
  const text = await openText(task);
  const table = new TableWriter(writer);
  let reader: CsvReader | null = null;
  for (const { text: piece, readBytes } of text.pieces()) {
    reader ??= new CsvReader(separatorOf(piece), (row) => table.add(row));
    reader.read(piece);
    await writer.reach(readBytes, text.sizeBytes);
  }
  reader?.end();
  table.end();
  return encodingWarning(text);
};

/** Returns the separator that gives most lines the same number of cells. */
function separatorOf(piece: string): string {
  const lines = piece
    .split('\n', SAMPLE_LINES)
    .map((line) => line.replace(/"[^"]*"/g, ''))
    .filter((line) => line.trim() !== '');
  let best = { separator: ',', score: 0 };
  for (const separator of [',', ';', '\t', '|']) {
    const counts = lines.map((line) => line.split(separator).length - 1);
    const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
    const score = usual === 0 ? 0 : counts.filter((count) => count === usual).length + Math.min(usual, 100) / 1_000;
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}
