/** Text to speak, without Markdown. */
export interface Speakable {
  text: string;
  /** Source position of each UTF-16 unit of `text`. */
  positions: number[];
}

/** Spoken form of markup: a regex group, other words, or nothing. */
interface Rule {
  pattern: RegExp;
  lineStart?: true;
  spoken?: number | string;
}

/** The first match is used. Each matches at one position and reads a bounded length. */
const RULES: readonly Rule[] = [
  { lineStart: true, pattern: /[ \t]{0,12}#{1,6}[ \t]+/y },
  { lineStart: true, pattern: /[ \t]{0,12}(?:>[ \t]?){1,8}/y },
  { lineStart: true, pattern: /[ \t]{0,12}(?:[-*_][ \t]{0,3}){3,80}(?=\n|$)/y },
  { lineStart: true, pattern: /[ \t]{0,12}\|?[ \t]{0,3}:?-{3,80}[-:| \t]{0,300}(?=\n|$)/y },
  { lineStart: true, pattern: /[ \t]{0,24}[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?/y },
  { pattern: /\\([\\`*_{}[\]()#+\-.!|>~])/y, spoken: 1 },
  { pattern: /!?\[([^\]\n]{0,400})\]\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)/y, spoken: 1 },
  { pattern: /[ \t]?\[\^?\d{1,3}\]/y },
  { pattern: /<?https?:\/\/(?:www\.)?([\p{L}\p{N}.-]{1,253})(?::\d{1,5})?(?:[/?#][^\s<>()]{0,2000})?>?/uy, spoken: 1 },
  { pattern: /<\/?[a-z][^<>\n]{0,300}>/iy },
  { pattern: /(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}])/uy },
  { pattern: /_/y, spoken: ' ' },
  { pattern: /\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|`{1,3}/y },
  { pattern: /[ \t]{0,8}\|[ \t]{0,8}(?=\n|$)/y },
  { lineStart: true, pattern: /[ \t]{0,8}\|[ \t]{0,8}/y },
  { pattern: /[ \t]{0,8}\|/y, spoken: ',' },
  {
    pattern:
      /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f})(?:\u{fe0f}|\u{200d}|\p{Extended_Pictographic}|\p{Emoji_Modifier}){0,24}/uy,
  },
];

/** Removes Markdown, URLs, and unspoken characters from text without code blocks. */
export function speakable(raw: string, atLineStart = true): Speakable {
  const spoken: string[] = [];
  const positions: number[] = [];
  const say = (text: string, at: number, step: 0 | 1) => {
    for (let index = 0; index < text.length; index++) {
      const unit = text[index] as string;
      const blank = /\s/.test(unit);
      if (blank && (spoken.length === 0 || spoken.at(-1) === ' ')) continue;
      spoken.push(blank ? ' ' : unit);
      positions.push(at + index * step);
    }
  };
  let lineStart = atLineStart;
  for (let at = 0; at < raw.length; ) {
    const found = matchAt(raw, at, lineStart);
    if (found === null) {
      const unit = raw[at] as string;
      say(unit, at, 1);
      lineStart = unit === '\n';
      at += 1;
      continue;
    }
    const { match, rule } = found;
    if (typeof rule.spoken === 'number') {
      const inner = match[rule.spoken] ?? '';
      const from = at + match[0].indexOf(inner);
      // Link text may contain markup.
      const within = speakable(inner, false);
      for (const [index, unit] of [...units(within.text)].entries())
        say(unit, from + (within.positions[index] ?? 0), 1);
    } else if (rule.spoken !== undefined) say(rule.spoken, at, 0);
    lineStart = lineStart && rule.lineStart === true;
    at += match[0].length;
  }
  if (spoken.at(-1) === ' ') {
    spoken.pop();
    positions.pop();
  }
  return { text: spoken.join(''), positions };
}

function matchAt(raw: string, at: number, lineStart: boolean): { match: RegExpExecArray; rule: Rule } | null {
  if (!lineStart && !MAY_BEGIN.test(raw[at] as string)) return null;
  for (const rule of RULES) {
    if (rule.lineStart && !lineStart) continue;
    rule.pattern.lastIndex = at;
    const match = rule.pattern.exec(raw);
    if (match !== null && match[0] !== '') return { match, rule };
  }
  return null;
}

/** Characters that may begin markup within a line. */
const MAY_BEGIN = /[\\![<h_*~`| \t]|[^\x20-\x7e]/;

function* units(text: string): Generator<string> {
  for (let index = 0; index < text.length; index++) yield text[index] as string;
}

export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
