import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';

const marked = new Marked({ gfm: true });

/** Below the limit of the speech API. */
const MAX_CHARS = 3_000;

/** Returns what to say of a Markdown text, in parts that each fit a speech request. Code is not read. */
export function speechParts(markdown: string): string[] {
  const parts: string[] = [];
  for (const sentence of marked.lexer(markdown).flatMap(blockText).flatMap(split)) {
    const joined = parts.length === 0 ? sentence : `${parts.at(-1)}\n${sentence}`;
    if (parts.length > 0 && joined.length <= MAX_CHARS) parts[parts.length - 1] = joined;
    else parts.push(sentence);
  }
  return parts;
}

/** Returns the paragraphs of a block. */
function blockText(token: Token): string[] {
  const block = token as MarkedToken;
  switch (block.type) {
    case 'heading':
    case 'paragraph':
      return spoken(inlineText(block.tokens));
    case 'text':
      return spoken(block.tokens ? inlineText(block.tokens) : block.text);
    case 'blockquote':
      return block.tokens.flatMap(blockText);
    case 'list':
      return block.items.flatMap((item) => item.tokens.flatMap(blockText));
    case 'table':
      return [block.header, ...block.rows].flatMap((row) => spoken(rowText(row)));
    default:
      return []; // code, HTML, rules, and blank lines
  }
}

const rowText = (cells: readonly Tokens.TableCell[]) => cells.map(({ tokens }) => inlineText(tokens)).join(', ');

/** Ends a paragraph like a sentence, so that a pause follows. */
function spoken(text: string): string[] {
  const said = text.replace(/\s*\[\d{1,3}\]/g, '').trim();
  if (!/[\p{L}\p{N}]/u.test(said)) return [];
  return [/[\p{P}]$/u.test(said) ? said : `${said}.`];
}

function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'br') return '\n';
      if (token.type === 'html') return '';
      if ('tokens' in token && token.tokens) return inlineText(token.tokens);
      return 'text' in token ? String(token.text) : '';
    })
    .join('');
}

/** Splits a long paragraph after sentences, or anywhere if it has none. */
function split(text: string): string[] {
  if (text.length <= MAX_CHARS) return [text];
  const head = text.slice(0, MAX_CHARS);
  const end = Math.max(...['. ', '! ', '? ', '。', '\n'].map((mark) => head.lastIndexOf(mark) + 1));
  const at = end > 0 ? end : Math.max(head.lastIndexOf(' '), 0) || MAX_CHARS;
  return [text.slice(0, at).trim(), ...split(text.slice(at).trim())].filter((part) => part !== '');
}
