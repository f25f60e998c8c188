import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { folderOf, WEIGHT_PACKAGES } from './weight-packages.ts';

let fetchedFolder: string | null = null;

/** Sets the folder of fetched weights, for `packageFile`. */
export function useFetchedWeights(folder: string | null): void {
  fetchedFolder = folder;
}

/** Finds a file of an installed package, even if the package does not export it, or of fetched weights. */
export function packageFile(file: string): string {
  const weights = WEIGHT_PACKAGES.find(({ name }) => name === nameOf(file));
  const fetched = weights && fetchedFolder !== null ? join(folderOf(fetchedFolder, weights), restOf(file)) : null;
  const found = findInstalled(file) ?? (fetched !== null && existsSync(fetched) ? fetched : null);
  if (found === null) throw new Error(`${file} is not installed`);
  return found;
}

export function findInstalled(file: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(nameOf(file)) ?? [];
  return folders.map((folder) => `${folder}/${file}`).find((path) => existsSync(path)) ?? null;
}

const nameOf = (file: string) => file.split('/', file.startsWith('@') ? 2 : 1).join('/');
const restOf = (file: string) => file.slice(nameOf(file).length + 1);
