import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckOutcome, root } from '../run-program.ts';
import { type Dictionary, findUnknownWords, loadDictionary } from './dictionary.ts';
import { findPhrases } from './find-phrases.ts';
import { readProse } from './read-prose.ts';

const FILES = [
  '*.{md,ts}',
  '.dependency-cruiser.mjs',
  '.changeset/*.md',
  'docs/**/*.md',
  '{apps,packages,workers}/*/*.{md,ts,mjs}',
  '{apps,packages,workers}/*/{src,bin}/**/*.{ts,tsx,mjs}',
  '{scripts,test}/**/*.{ts,mjs,js}',
];

const GENERATED = ['packages/client/src/generated', 'THIRD_PARTY_NOTICES.md'];

/**
 * Checks the wording and spelling of comments, messages, test titles, and documents.
 * @param folders Limits the check to these.
 */
export async function checkProse(folders: string[] = []): Promise<CheckOutcome> {
  const files = globSync(FILES, { cwd: root })
    .filter((path) => !isWithin(path, GENERATED) && (folders.length === 0 || isWithin(path, folders)))
    .sort();
  if (files.length === 0) return { ok: false, output: `No files to check in ${folders.join(', ')}` };
  const dictionary = loadDictionary();
  const lines = files.flatMap((path) => checkText(path, readFileSync(join(root, path), 'utf8'), dictionary));
  return { ok: lines.length === 0, output: lines.join('\n') };
}

export function checkText(path: string, source: string, dictionary: Dictionary): string[] {
  return readProse(path, source)
    .flatMap((prose) => [
      ...findPhrases(prose, source),
      ...(dictionary.skips(path) ? [] : findUnknownWords(prose, dictionary)),
    ])
    .sort((a, b) => a.at - b.at)
    .map(({ at, says }) => `${path}:${source.slice(0, at).split('\n').length}: ${says}`);
}

function isWithin(path: string, folders: string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
