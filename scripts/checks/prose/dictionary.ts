import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeTrie } from 'cspell-trie-lib';
import { root } from '../run-program.ts';
import type { Finding } from './find-phrases.ts';
import type { Prose } from './read-prose.ts';

const SOFTWARE_TERMS = [
  'softwareTerms.txt.gz',
  'coding-compound-terms.txt',
  'networkingTerms.txt',
  'software-tools.txt',
  'webServices.txt',
];

const MIN_LENGTH = 4;

export interface Dictionary {
  knows(word: string): boolean;
  skips(path: string): boolean;
}

/** Loads American English, the terms of the field, and our own words in `cspell.json`. */
export function loadDictionary(): Dictionary {
  const read = (path: string) => {
    const bytes = readFileSync(join(root, path));
    return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  };
  const { words, ignorePaths } = JSON.parse(read('cspell.json').toString()) as Record<
    'words' | 'ignorePaths',
    string[]
  >;
  const english = decodeTrie(read('node_modules/@cspell/dict-en_us/en_US.trie.gz'));
  const terms = SOFTWARE_TERMS.flatMap((name) =>
    read(`node_modules/@cspell/dict-software-terms/dict/${name}`).toString().split('\n'),
  );
  const known = new Set([...words, ...terms].map((word) => word.trim().toLowerCase()));
  const answers = new Map<string, boolean>();
  const lookUp = (word: string) =>
    known.has(word.toLowerCase()) || english.hasWord(word, false) || english.hasWord(word.toLowerCase(), false);
  return {
    knows(word) {
      const answer = answers.get(word) ?? lookUp(word);
      answers.set(word, answer);
      return answer;
    },
    skips: (path) => ignorePaths.some((pattern) => matchesGlob(path, pattern)),
  };
}

/** Returns the words of a passage that are in no dictionary. Acronyms and words that touch digits are not checked. */
export function findUnknownWords({ start, text }: Prose, dictionary: Dictionary): Finding[] {
  const found: Finding[] = [];
  for (const { 0: token, index } of text.matchAll(/(?<![\p{L}\d_@$#&])[A-Za-z][A-Za-z'’]*[A-Za-z](?![\p{L}\d_])/gu)) {
    const word = token.replaceAll('’', "'").replace(/'s$/, '');
    if (dictionary.knows(word)) continue;
    const unknown = word
      .split(/'|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
      .find((part) => part.length >= MIN_LENGTH && part !== part.toUpperCase() && !dictionary.knows(part));
    if (unknown !== undefined) found.push({ at: start + index, says: `unknown word "${unknown}"` });
  }
  return found;
}
