/**
 * Returns an asset's URL on this page's origin.
 *
 * The API derives the origin from the request, which a proxy may have changed, and the content security policy
 * allows no other.
 */
export function sameOriginUrl(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

/** Downloads records as a file with one JSON object per line. */
export async function saveAsNdjson(records: AsyncIterable<unknown>, filename: string): Promise<void> {
  const lines: string[] = [];
  for await (const record of records) lines.push(`${JSON.stringify(record)}\n`);
  save(new Blob(lines, { type: 'application/x-ndjson' }), filename);
}

/** Downloads content as a file. */
export function save(content: Blob, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}
