/** A sentence, equal to `text.slice(start, end)`. */
export interface Sentence {
  text: string;
  start: number;
  end: number;
}

/** Text without sentence ends, such as rows of numbers, is cut at this length. */
const MAX_LENGTH = 600;

/** Created on first use, since the first one in a process takes 30 ms. */
let segmenter: Intl.Segmenter | undefined;

/** Markdown lines that start a new block: headings, table rows, list items, quotes, fences. */
const OWN_LINE = /^\s*(#{1,6}\s|\||>|```|~~~|[-*+•–]\s|\d{1,3}[.)]\s)/;
/** Blocks of one line. List items may continue on the next. */
const WHOLE_LINE = /^\s*(#{1,6}\s|\||```|~~~)/;

/** Abbreviations before a name or number, which never end a sentence. */
const BEFORE_MORE =
  /(?:^|[\s([“"'‘])(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Lt|Sgt|Capt|Cmdr|Adm|Rev|Hon|Gov|Sen|Rep|Pres|Messrs|Mme|Mlle|Hr|Fr|Nr|No|Nos|Fig|Figs|Eq|Vol|Ch|Sec|Art|vs|cf|ca|approx|pp?|e\.g|i\.e|viz|al|z\.B|d\.h|u\.a|bzw|geb|gest|Abb|Bd|Sr|Sra|Dra|тыс|млн|млрд)\.$/i;
/** Initials in a name: `John F.`, `J. R.`, or alone. */
const INITIAL = /(?:^|\p{Lu}\p{L}*\s|\p{Lu}\.\s?)\p{Lu}\.$/u;
/** `U.S.`, `B.C.`, `p.m.`: depends on what follows. */
const LETTERS = /(?:^|[\s(])(?:\p{L}\.){2,}$/u;
const STARTS_ANEW =
  /^[“"'‘(]?(?:The|This|That|These|Those|A|An|It|Its|He|She|They|We|I|You|In|On|At|As|By|For|From|To|With|But|And|Or|So|If|When|While|Although|After|Before|However|There|Here|His|Her|Their|Our|What|Who|Why|How|One|Some|Most|Many|All)\b/;

/**
 * Splits a text in any language into sentences that cover everything except whitespace. Line breaks do not end a
 * sentence, but blank lines, headings, table rows, and list items do.
 */
export function sentencesOf(text: string): Sentence[] {
  return blocksOf(text).flatMap(([start, end]) => {
    // The segmenter would end sentences at line breaks. Spaces preserve the offsets.
    const flat = text.slice(start, end).replace(/\s/g, ' ');
    return piecesOf(flat).flatMap(([from, to]) => {
      const raw = flat.slice(from, to);
      const trimmed = raw.trim();
      if (trimmed === '') return [];
      const at = start + from + raw.indexOf(trimmed);
      return [{ text: text.slice(at, at + trimmed.length), start: at, end: at + trimmed.length }];
    });
  });
}

type Range = [start: number, end: number];

/** Returns runs of lines that sentences do not cross. */
function blocksOf(text: string): Range[] {
  const blocks: Range[] = [];
  let open: Range | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    if (line.trim() === '') open = null;
    else if (open === null || OWN_LINE.test(line)) {
      open = [at, end];
      blocks.push(open);
      if (WHOLE_LINE.test(line)) open = null;
    } else open[1] = end;
    at = end + 1;
  }
  return blocks;
}

function piecesOf(flat: string): Range[] {
  const pieces: Range[] = [];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  for (const { segment, index } of segmenter.segment(flat)) {
    const last = pieces.at(-1);
    const end = index + segment.length;
    if (
      last !== undefined &&
      continuesSentence(flat.slice(Math.max(last[0], last[1] - 40), last[1]).trimEnd(), segment)
    )
      last[1] = end;
    else pieces.push([index, end]);
  }
  return pieces.flatMap(([start, end]) => shorter(flat, start, end));
}

/** `3. März`, `19. Jahrhundert`: a day or an ordinal. */
const ORDINAL = /(?:^|[\s(–-])\d{1,2}\.$/;
const AFTER_ORDINAL =
  /^\s*(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jahrtausend|Jh|Jhd|Lebensjahr|Weltkrieg|Auflage|Band|Kapitel|Bundes|Mal\b)/;

function continuesSentence(end: string, next: string): boolean {
  if (/^\s*\p{Ll}/u.test(next) || BEFORE_MORE.test(end)) return true;
  if (ORDINAL.test(end) && AFTER_ORDINAL.test(next)) return true;
  return LETTERS.test(end) ? !STARTS_ANEW.test(next) : INITIAL.test(end);
}

function shorter(flat: string, start: number, end: number): Range[] {
  const ranges: Range[] = [];
  let from = start;
  while (end - from > MAX_LENGTH) {
    const window = flat.slice(from, from + MAX_LENGTH);
    const blank = Math.max(window.lastIndexOf('; ') + 1, window.lastIndexOf(', ') + 1);
    let cut = blank > MAX_LENGTH / 2 ? blank : window.lastIndexOf(' ');
    if (cut <= 0) cut = /[\ud800-\udbff]$/.test(window) ? MAX_LENGTH - 1 : MAX_LENGTH;
    ranges.push([from, from + cut]);
    from += cut;
  }
  ranges.push([from, end]);
  return ranges;
}
