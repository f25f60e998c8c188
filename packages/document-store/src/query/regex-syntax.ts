/** The worst-case number of backtracking steps: `factor × n^degree`, or exponential in n. */
export interface PatternCost {
  degree: number;
  factor: number;
  exponential: boolean;
}

interface TranslatedPattern {
  source: string;
  flags: string;
  cost: PatternCost;
}

const TOKEN = [
  /\\Q[\s\S]*?(?:\\E|$)/, // literal text
  /\\x\{[0-9a-fA-F]{1,6}\}|\\[\s\S]?/,
  /\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]?/, // a class; a leading ] is literal
  /\((?:\?P<|\?:|\?)?|[)|]/,
  /(?:[*+?]|\{\d+(?:,\d*)?\})\??/,
  /[\s\S]/,
];
const LAYOUT = /\s+|#[^\n]*\n?/;
const sourceOf = (parts: readonly RegExp[]): string => parts.map(({ source }) => source).join('|');
const TOKENS = new RegExp(sourceOf(TOKEN), 'g');
/** Option x ignores whitespace and comments. */
const EXTENDED_TOKENS = new RegExp(`(?<layout>${LAYOUT.source})|${sourceOf(TOKEN)}`, 'g');

const ESCAPES: Readonly<Record<string, string>> = {
  '\\A': '(?<![\\s\\S])',
  '\\z': '(?![\\s\\S])',
  '\\Z': '(?=\\n?(?![\\s\\S]))',
  '\\h': '[ \\t]',
  '\\a': '\\x07',
  '\\e': '\\x1b',
  '(?P<': '(?<',
};

const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
};

/** Translates a PCRE pattern with the options i, m, s, x, and u, and estimates its cost. */
export function translatePattern(pattern: string, options: string): TranslatedPattern {
  const [inline = '', inlineOptions = ''] = /^\(\?([imsx]+)\)/.exec(pattern) ?? [];
  const all = options + inlineOptions;
  const body = pattern.slice(inline.length);
  const meter = new CostEstimator();
  let source = '';
  for (const { 0: token, index, groups } of body.matchAll(all.includes('x') ? EXTENDED_TOKENS : TOKENS)) {
    if (groups?.layout) continue;
    source += translateToken(token);
    meter.addToken(token, body.slice(index + token.length, index + token.length + 1));
  }
  const flags = ['i', 'm', 's'].filter((flag) => all.includes(flag)).join('');
  // A pattern anchored at the start is tried once, any other at each position.
  if (!source.startsWith('^') || flags.includes('m') || meter.topAlternative) meter.cost.degree += 1;
  return { source, flags, cost: meter.cost };
}

function translateToken(token: string): string {
  if (token.startsWith('\\Q'))
    return token
      .slice(2)
      .replace(/\\E$/, '')
      .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (token.startsWith('\\x{')) return escapedCodePoint(Number.parseInt(token.slice(3), 16));
  if (!token.startsWith('[')) return ESCAPES[token] ?? token;
  return token
    .replace(/^(\[\^?)\]/, '$1\\]')
    .replace(/\[:(\w+):\]/g, (named, name: string) => NAMED_CLASSES[name] ?? named);
}

function escapedCodePoint(codePoint: number): string {
  if (codePoint > 0xffff) return String.fromCodePoint(Math.min(codePoint, 0x10ffff));
  return `\\u${codePoint.toString(16).padStart(4, '0')}`;
}

interface Group {
  /** True if the group may match the same text in several ways. */
  ambiguous: boolean;
  starts: Set<string>;
}

class CostEstimator {
  readonly cost: PatternCost = { degree: 0, factor: 1, exponential: false };
  topAlternative = false;
  readonly #open: Group[] = [];
  #ended: Group | undefined;

  /** `next` is the character after the token; empty at the end. */
  addToken(token: string, next: string): void {
    const repeated = this.#ended;
    this.#ended = undefined;
    if (token.startsWith('(')) {
      const group = { ambiguous: false, starts: new Set<string>() };
      this.#open.push(group);
      // Look-around and named groups count as ambiguous starts.
      if ((token !== '(' && token !== '(?:') || !recordStart(group, next)) group.starts.add('');
    } else if (token === ')') this.#ended = this.#open.pop();
    else if (token === '|') this.#alternative(next);
    // A back-reference may match text of any length.
    else if (/^\\[1-9k]/.test(token)) this.cost.degree += 1;
    else if (/^(?:[*+?]|\{.+)/.test(token)) this.#quantify(token, repeated, next === '');
  }

  /** Alternatives with different first letters need no backtracking. */
  #alternative(next: string): void {
    const group = this.#open.at(-1);
    if (!group) {
      this.topAlternative = true;
      this.cost.factor += 1;
    } else if (group.ambiguous || !recordStart(group, next)) {
      this.cost.factor *= 2;
      for (const open of this.#open) open.ambiguous = true;
    }
  }

  #quantify(token: string, repeated: Group | undefined, isLast: boolean): void {
    const [, low, comma, high] = /^\{(\d+)(?:(,)(\d*))?\}/.exec(token) ?? [];
    const isOptional = token.startsWith('?');
    if (repeated?.ambiguous && !isOptional) this.cost.exponential = true;
    if (low !== undefined && comma === undefined) {
      this.cost.factor *= Math.max(1, Number(low));
      return;
    }
    for (const group of this.#open) group.ambiguous = true;
    if (isOptional) this.cost.factor *= 2;
    else if (high) this.cost.factor *= Math.max(1, Number(high) - Number(low) + 1);
    // A final quantifier never backtracks.
    else if (!isLast) this.cost.degree += 1;
  }
}

/** Records how an alternative starts. Returns false if it may start like another one. */
function recordStart(group: Group, next: string): boolean {
  const start = next.toLowerCase();
  if (!/^[a-z0-9]$/.test(start) || group.starts.has(start) || group.starts.has('')) return false;
  group.starts.add(start);
  return true;
}
