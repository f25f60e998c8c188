import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { UsageError } from '../command.ts';

/** Extensions of files that are ingested from folders; files named directly are always ingested. */
const DOCUMENTS = new Set(
  '.pdf .docx .pptx .xlsx .odt .epub .html .htm .md .markdown .txt .csv .png .jpg .jpeg .webp .tif .tiff'.split(' '),
);

/**
 * Finds documents in these files and folders, sorted by name.
 *
 * @throws {UsageError} for a missing path
 */
export async function findDocuments(from: string, paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const full = resolve(from, path);
    const facts = await stat(full).catch(() => {
      throw new UsageError(`File or folder not found: ${path}.`);
    });
    if (!facts.isDirectory()) found.add(full);
    else for (const file of await walk(full)) found.add(file);
  }
  return [...found];
}

/** Does not follow links, which could form a loop. */
async function walk(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
  if (entries === null) return [folder]; // reading such a file reports the error
  const files: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await walk(path)));
    else if (entry.isFile() && DOCUMENTS.has(extname(entry.name).toLowerCase())) files.push(path);
  }
  return files;
}
