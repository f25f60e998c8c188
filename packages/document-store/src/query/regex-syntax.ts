/**
 * How many steps a backtracking matcher may take at worst on a text of n characters: `factor × n^degree`, or, where a
 * repeated group can itself match in several ways, a number exponential in n.
 */
export interface PatternCost {
  degree: number;
  factor: number;
  exponential: boolean;
}

/** A pattern in JavaScript's syntax, the flags for it, and its cost. */
export interface TranslatedPattern {
  source: string;
  flags: string;
  cost: PatternCost;
}

const escapes: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  Z: '(?=\\n?(?![\\s\\S]))',
  h: '[ \\t]',
  a: '\\x07',
  e: '\\x1b',
};

const namedClasses: Readonly<Record<string, string>> = {
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

const quantifier = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/;

interface Group {
  /** Whether the group may match one text in more than one way: by a quantifier, or by alternatives that begin alike. */
  ambiguous: boolean;
  /** The characters with which its alternatives begin. */
  starts: Set<string>;
}

/** Translates a PCRE pattern with MongoDB's options (i, m, s, x, u) and measures it. Invalid patterns pass through. */
export function translatePattern(pattern: string, options: string): TranslatedPattern {
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const all = options + (inline?.[1] ?? '');
  const scanner = new PatternScanner(inline ? pattern.slice(inline[0].length) : pattern, all.includes('x'));
  scanner.scan();
  const flags = ['i', 'm', 's'].filter((flag) => all.includes(flag)).join('');
  // A pattern tied to the start is tried there only; every other at each position.
  const anchored = scanner.source.startsWith('^') && !flags.includes('m') && !scanner.topAlternative;
  return {
    source: scanner.source,
    flags,
    cost: { ...scanner.cost, degree: scanner.cost.degree + (anchored ? 0 : 1) },
  };
}

class PatternScanner {
  source = '';
  topAlternative = false;
  readonly cost: PatternCost = { degree: 0, factor: 1, exponential: false };
  readonly #pattern: string;
  readonly #extended: boolean;
  #position = 0;
  readonly #open: Group[] = [];
  /** The group that just ended, if that is what a quantifier here would repeat. */
  #ended: Group | undefined;

  constructor(pattern: string, extended: boolean) {
    this.#pattern = pattern;
    this.#extended = extended;
  }

  scan(): void {
    while (this.#position < this.#pattern.length) this.#step(this.#pattern[this.#position] as string);
  }

  #step(character: string): void {
    if (this.#extended && this.#skipLayout(character)) return;
    const repeated = this.#ended;
    const match = quantifier.exec(this.#pattern.slice(this.#position, this.#position + 24));
    if (match && this.source !== '') {
      this.#quantify(match, repeated);
      return;
    }
    this.#ended = undefined;
    if (character === '\\') this.#escape();
    else if (character === '[') this.#class();
    else if (character === '(') this.#openGroup();
    else {
      if (character === ')') this.#ended = this.#open.pop();
      if (character === '|') this.#alternative();
      this.#take(1);
    }
  }

  #take(count: number, text?: string): void {
    this.source += text ?? this.#pattern.slice(this.#position, this.#position + count);
    this.#position += count;
  }

  #skipLayout(character: string): boolean {
    if (/\s/.test(character)) {
      this.#position += 1;
      return true;
    }
    if (character !== '#') return false;
    const end = this.#pattern.indexOf('\n', this.#position);
    this.#position = end < 0 ? this.#pattern.length : end + 1;
    return true;
  }

  #escape(): void {
    const character = this.#pattern[this.#position + 1] ?? '';
    const code = character === 'x' ? /^\\x\{([0-9a-fA-F]{1,6})\}/.exec(this.#pattern.slice(this.#position)) : null;
    if (code) this.#take(code[0].length, escapedCodePoint(Number.parseInt(code[1] as string, 16)));
    else if (character === 'Q') this.#quote();
    else this.#take(2, escapes[character]);
  }

  /** \Q…\E: everything between is literal. */
  #quote(): void {
    const start = this.#position + 2;
    const end = this.#pattern.indexOf('\\E', start);
    const literal = this.#pattern.slice(start, end < 0 ? undefined : end);
    this.source += literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    this.#position = end < 0 ? this.#pattern.length : end + 2;
  }

  /** A class goes over as it is, but for named classes such as [:alpha:] and a [ that JavaScript takes too. */
  #class(): void {
    const negated = this.#pattern[this.#position + 1] === '^';
    this.#take(negated ? 2 : 1);
    // In PCRE a ] in the first place is literal.
    if (this.#pattern[this.#position] === ']') this.#take(1, '\\]');
    while (this.#position < this.#pattern.length && this.#pattern[this.#position] !== ']') {
      const named = /^\[:(\w+):\]/.exec(this.#pattern.slice(this.#position, this.#position + 12));
      const replacement = named ? namedClasses[named[1] as string] : undefined;
      if (named && replacement) this.#take(named[0].length, replacement);
      else this.#take(this.#pattern[this.#position] === '\\' ? 2 : 1);
    }
    this.#take(1);
  }

  #openGroup(): void {
    const group: Group = { ambiguous: false, starts: new Set() };
    this.#open.push(group);
    const [opening = '('] = /^\((?:\?P<|\?:|\?)?/.exec(this.#pattern.slice(this.#position, this.#position + 4)) ?? [];
    this.#take(opening.length, opening === '(?P<' ? '(?<' : opening);
    // Of look-around, names and modifiers nothing is known: they count as beginning like every alternative.
    const plain = opening === '(' || opening === '(?:';
    if (!plain || !this.#notesStart(group, this.#position)) group.starts.add('');
  }

  /** Alternatives that begin with different letters are no choice: the next character decides. */
  #alternative(): void {
    const group = this.#open.at(-1);
    if (!group) {
      this.topAlternative = true;
      this.cost.factor += 1;
      return;
    }
    if (!group.ambiguous && this.#notesStart(group, this.#position + 1)) return;
    this.cost.factor *= 2;
    for (const open of this.#open) open.ambiguous = true;
  }

  /** Notes how an alternative begins: false where that is no plain ASCII letter or digit, or not the first to begin so. */
  #notesStart(group: Group, position: number): boolean {
    const start = this.#pattern[position]?.toLowerCase() ?? '';
    if (!/^[a-z0-9]$/.test(start) || group.starts.has(start) || group.starts.has('')) return false;
    group.starts.add(start);
    return true;
  }

  #quantify(match: RegExpExecArray, repeated: Group | undefined): void {
    const [text, low, comma, high] = match;
    this.#take(text.length);
    if (this.#pattern[this.#position] === '?') this.#take(1);
    this.#ended = undefined;
    const fixed = low !== undefined && comma === undefined;
    if (repeated?.ambiguous && text !== '?') this.cost.exponential = true;
    if (fixed) {
      this.cost.factor *= Math.max(1, Number(low));
      return;
    }
    for (const group of this.#open) group.ambiguous = true;
    if (text === '?') this.cost.factor *= 2;
    else if (high) this.cost.factor *= Math.max(1, Number(high) - Number(low) + 1);
    else if (this.#position < this.#pattern.length) this.cost.degree += 1;
    // What nothing follows can always stop: it is never tried again.
  }
}

function escapedCodePoint(codePoint: number): string {
  if (codePoint > 0xffff) return String.fromCodePoint(Math.min(codePoint, 0x10ffff));
  return `\\u${codePoint.toString(16).padStart(4, '0')}`;
}
