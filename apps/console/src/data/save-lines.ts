/** Saves records as a file of the browser, one on each line, as JSON. */
export async function saveLines(records: AsyncIterable<unknown>, filename: string): Promise<void> {
  const lines: string[] = [];
  for await (const record of records) lines.push(`${JSON.stringify(record)}\n`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}
