import type { Prose } from './read-prose.ts';

export interface Finding {
  at: number;
  says: string;
}

const MAX_COLUMNS = 120;

const BANNED = new RegExp(
  `(?<![\\p{L}-])(${[
    'told|anew|lies|stands|nobody|whoever|somebody|mended',
    'so\\s+long|so\\s+many|for\\s+ever|of\\s+its\\s+own|is\\s+had|gone\\s+on',
  ].join('|')})(?![\\p{L}-])`,
  'giu',
);

const RIDDLE = /(?:^\s*|[.!?]\s+|@\w+\s+(?:-\s+)?)(What|Whoever|Who|So|Such)(?=[\s,])/dgu;

export function findPhrases({ kind, start, text }: Prose, source: string): Finding[] {
  const found: Finding[] = [];
  for (const { 0: phrase, index } of text.matchAll(BANNED)) {
    found.push({ at: start + index, says: `"${phrase.toLowerCase().replace(/\s+/g, ' ')}"` });
  }
  if (kind !== 'comment') return found;
  for (const { 1: word, indices } of text.matchAll(RIDDLE)) {
    found.push({ at: start + indices![1]![0], says: `a sentence that begins with "${word}"` });
  }
  const unit = text.search(/\bin milliseconds\b/i);
  if (unit >= 0 && /(_MS|Ms)\b/.test(codeBeside(source, start, start + text.length))) {
    found.push({ at: start + unit, says: '"in milliseconds" beside a name that says it' });
  }
  return found.concat(findLongLines(start, text.length, source));
}

function codeBeside(source: string, start: number, end: number): string {
  const before = source.slice(source.lastIndexOf('\n', start - 1) + 1, start);
  return `${before} ${source.slice(end).trimStart().split('\n', 1)[0]}`;
}

function findLongLines(start: number, length: number, source: string): Finding[] {
  const found: Finding[] = [];
  for (let at = source.lastIndexOf('\n', start) + 1; at < start + length; ) {
    const newline = source.indexOf('\n', at);
    const end = newline < 0 ? source.length : newline;
    const line = source.slice(at, end);
    if (line.length > MAX_COLUMNS && !line.includes('://')) {
      found.push({ at, says: `a comment of ${line.length} columns (at most ${MAX_COLUMNS})` });
    }
    at = end + 1;
  }
  return found;
}
