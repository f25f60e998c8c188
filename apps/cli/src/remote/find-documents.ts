import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { UsageError } from '../command.ts';

/** Endings of names of what is taken out of folders; what is named itself is taken in any case. */
const DOCUMENTS = new Set(
  '.pdf .docx .pptx .xlsx .odt .epub .html .htm .md .markdown .txt .csv .png .jpg .jpeg .webp .tif .tiff'.split(' '),
);

/**
 * The documents among these files and in these folders, in the order of their names.
 *
 * @throws {UsageError} for what is not there
 */
export async function findDocuments(from: string, paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const full = resolve(from, path);
    const facts = await stat(full).catch(() => {
      throw new UsageError(`There is no ${path}.`);
    });
    if (!facts.isDirectory()) found.add(full);
    else for (const file of await walk(full)) found.add(file);
  }
  return [...found];
}

/** Links are not followed, so that no folder is gone through for ever. */
async function walk(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
  if (entries === null) return [folder]; // it fails where it is read, by itself
  const files: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await walk(path)));
    else if (entry.isFile() && DOCUMENTS.has(extname(entry.name).toLowerCase())) files.push(path);
  }
  return files;
}
