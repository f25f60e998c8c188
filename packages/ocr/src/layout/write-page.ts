import { type Row, type Table, textOfRow, textOfSegment } from '@chorus/documents/pdf';
import type { Block } from './find-blocks.ts';

export function toText(blocks: readonly Block[]): string {
  let text = '';
  let before: Block | null = null;
  for (const block of blocks) {
    const together = before?.type === 'item' && block.type === 'item';
    text += `${before === null ? '' : together ? '\n' : '\n\n'}${block.rows.map(lineOf).join('\n')}`;
    before = block;
  }
  return text;
}

const lineOf = ({ segments }: Row) => segments.map(textOfSegment).join('\t');

export function toMarkdown(blocks: readonly Block[]): string {
  let markdown = '';
  let before: Block | null = null;
  for (const block of blocks) {
    const together = before?.type === 'item' && block.type === 'item';
    markdown += `${before === null ? '' : together ? '\n' : '\n\n'}${markdownOf(block)}`;
    before = block;
  }
  return markdown;
}

function markdownOf(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${flowing(block.rows)}`;
    case 'paragraph':
      return escapeStart(flowing(block.rows));
    case 'item': {
      const ordered = /^\(?(\d{1,3})[.)]$/.exec(block.marker);
      const text = flowing(block.rows).slice(block.marker.length).trim();
      // Markdown cannot number items with letters, so they stay in the text.
      const lettered = /^\(?[a-z][.)]$/i.test(block.marker) ? `${block.marker} ` : '';
      return `${'   '.repeat(block.depth)}${ordered ? `${ordered[1]}.` : '-'} ${lettered}${text}`;
    }
    case 'table':
      return tableOf(block.table);
    default:
      throw block satisfies never;
  }
}

function tableOf([head = [], ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function flowing(rows: readonly Row[]): string {
  let text = '';
  for (const row of rows) {
    const line = textOfRow(row);
    if (text === '') text = line;
    else if (/\p{L}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(line)) text = text.slice(0, -1) + line;
    else text += ` ${line}`;
  }
  return text;
}

const escapeStart = (text: string) => text.replace(/^(#{1,6}(?=\s)|>|[-=_*]{3,}$)/, '\\$1');
