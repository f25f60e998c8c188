import type { KnowledgeSource } from '@chorus/contract';

const LONGEST_TITLE = 80;

/** Created on first use, since the first one in a process takes 30 ms. */
let graphemes: Intl.Segmenter | undefined;

/** Returns a provisional title: file name, URL, or the first line of the text. */
export function entryTitle(source: KnowledgeSource, text = ''): string {
  switch (source.type) {
    case 'file':
      return shortened(source.filename?.replace(/\.[a-z0-9]{1,8}$/i, '') ?? '') || 'Untitled';
    case 'url':
      return shortened(addressOf(source.url)) || 'Untitled';
    case 'text':
      return shortened(firstLine(text)) || 'Untitled';
    default:
      return source satisfies never;
  }
}

/** Shortens to one line of 80 characters, between words if possible. */
export function shortened(text: string): string {
  const line = text
    .slice(0, LONGEST_TITLE * 50)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line.length <= LONGEST_TITLE) return line;
  const space = line.lastIndexOf(' ', LONGEST_TITLE);
  if (space > 0) return line.slice(0, space);
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of graphemes.segment(line.slice(0, LONGEST_TITLE * 4))) {
    if (index + segment.length > LONGEST_TITLE) break;
    end = index + segment.length;
  }
  return line.slice(0, end === 0 ? LONGEST_TITLE : end);
}

function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : `${host}${pathname}`;
}

/** Returns the first line with words, looking only at the beginning of a long text. */
function firstLine(text: string): string {
  const lines = text
    .slice(0, 10_000)
    .replace(/<[^>]{0,1000}>/g, ' ')
    .split(/\r?\n/);
  return (lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '').replace(/^\s*(?:[#>*=-]+\s+)+/, '');
}
