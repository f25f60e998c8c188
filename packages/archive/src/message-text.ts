import type { CitationItem } from '@chorus/contract';
import type { MessageRecord } from '@chorus/database';

/** A quote is repeated only so far. */
const QUOTE_CHARS = 300;

/** A message as Markdown: what it says, then what it cites and what went with it. */
export function messageText({ content, citations, attachments }: MessageRecord): string {
  const parts = [content];
  if (citations.length > 0) parts.push(`Sources:\n\n${citations.map(citationLine).join('\n')}`);
  if (attachments.length > 0) parts.push(`Attachments: ${attachments.map((id) => `\`${id}\``).join(', ')}`);
  return parts.filter((part) => part !== '').join('\n\n');
}

function citationLine({ marker, title, page, quote }: CitationItem): string {
  const where = page === null ? title : `${title}, page ${page}`;
  const words = quote.replace(/\s+/g, ' ').trim();
  const shown = words.length <= QUOTE_CHARS ? words : `${words.slice(0, QUOTE_CHARS).trimEnd()}…`;
  return `- [${marker}] ${where}: "${shown}"`;
}
