import { parseSync, Visitor } from 'oxc-parser';

/**
 * A passage written for people, as in its file. Anything else is blanked, so that offsets stay
 * true.
 */
export interface Prose {
  kind: 'comment' | 'text' | 'document';
  start: number;
  text: string;
}

/** Strings that are data rather than messages: fixtures, fake answers, benches. */
const HOLDS_DATA = /\.test\.tsx?$|\/test-|^(test|packages\/testing|scripts\/screenshots)\//;

const THREE_WORDS = /\p{L}{2,}\s+\p{L}+\s+\p{L}{2,}/u;

export function readProse(path: string, source: string): Prose[] {
  if (path.endsWith('.md')) return [{ kind: 'document', start: 0, text: blankMarkdown(source) }];
  const { program, comments } = parseSync(path, source);
  const found = joinLineComments(source, comments).map(
    ({ start, end }): Prose => ({ kind: 'comment', start, text: blankComment(source.slice(start, end)) }),
  );
  const add = (start: number, end: number) =>
    found.push({ kind: 'text', start, text: blankString(source.slice(start, end)) });
  const wholeFile = !HOLDS_DATA.test(path);
  const console = path.startsWith('apps/console/');
  new Visitor({
    Literal({ value, start, end }) {
      if (wholeFile && typeof value === 'string' && (console ? /\s/ : THREE_WORDS).test(value)) add(start, end);
    },
    TemplateElement({ value: { raw }, start }) {
      const begin = source.indexOf(raw, start);
      if (wholeFile && THREE_WORDS.test(raw)) add(begin, begin + raw.length);
    },
    JSXText({ start, end }) {
      add(start, end);
    },
    CallExpression({ callee, arguments: [title] }) {
      const isTest = /^(describe|it|test)\b/.test(source.slice(callee.start, callee.start + 9));
      if (!wholeFile && isTest && title?.type === 'Literal') add(title.start, title.end);
    },
  }).visit(program);
  return found;
}

/** Joins `//` comments on consecutive lines: a sentence may run over all of them. */
function joinLineComments(source: string, comments: { type: string; start: number; end: number }[]) {
  const joined: { type: string; start: number; end: number }[] = [];
  for (const { type, start, end } of comments) {
    const before = joined.at(-1);
    const follows = type === 'Line' && before?.type === 'Line' && /^\r?\n[ \t]*$/.test(source.slice(before.end, start));
    if (follows) before.end = end;
    else joined.push({ type, start, end });
  }
  return joined;
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

const blankLinks = (text: string) => text.replace(/\b[a-z]+:\/\/[^\s)>'"`]+/g, blank);

function blankComment(text: string): string {
  if (/^\/[/*]\s*(biome-ignore|@ts-|@vitest|<reference)/.test(text)) return blank(text);
  return blankLinks(text)
    .replace(/^[ \t]*(\/\*\*?|\*\/|\*|\/\/+)|\*\/$/gm, blank)
    .replace(/```[\s\S]*?```|`[^`]*`/g, blank)
    .replace(/\{@link[^}]*\}|@(param|throws|typeParam|template)\s+(\{[^}]*\}\s*)?\S+/g, blank);
}

function blankString(text: string): string {
  return blankLinks(text)
    .replace(/\\?`[^`]*`/g, blank)
    .replace(/\\u\{?[0-9a-fA-F]+\}?|\\x[0-9a-fA-F]{2}|\\./g, blank);
}

function blankMarkdown(text: string): string {
  return text
    .replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2/gm, blank)
    .replace(/(`+)[^`]+\1/g, blank)
    .replace(/\]\([^)]*\)|<[^>\n]+>|^\[[^\]]+\]: .*$/gm, blank)
    .replace(/\b[a-z]+:\/\/\S+/g, blank);
}
