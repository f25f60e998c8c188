/** Patterns of questions and of matching answers, by kind. English, and Chinese amounts. */
const KINDS: { asks: RegExp; names: RegExp }[] = [
  {
    asks: /^(who|whose|whom)\b/i,
    names:
      /(?:^|[^.!?]\s)\p{Lu}[\p{L}.'’-]+|(?:^|\s)\p{Lu}[\p{L}.'’-]+(?:\s+(?:(?:de|van|von|del|of)\s)?\p{Lu}[\p{L}.'’-]*)+/u,
  },
  {
    asks: /^when\b|\b(what|which) (year|date|day|month|time|century|decade)\b/i,
    names:
      /\b(1\d{3}|20\d\d)\b|\b(January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|century|centuries|morning|noon|evening|night|o'clock|spring|summer|autumn|winter|ago)\b|\d{1,2}:\d\d/i,
  },
  {
    asks: /\bhow (many|much|often|old|long|tall|high|far|large|big|fast|heavy|deep|wide|expensive)\b|\b(what|which) (percentage|percent|number|temperature|speed|amount|age|price|population|length|height|weight|size|distance)\b/i,
    names:
      /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|billions?|half|third|quarter|once|twice|every|daily|weekly|monthly|yearly|dozens?|several|few)\b/i,
  },
  {
    asks: /\b(what|which) colou?rs?\b/i,
    names:
      /\b(red|orange|yellow|green|blue|indigo|violet|purple|pink|brown|black|white|gr[ea]y|gold|golden|silver|colou?r\w*)\b/i,
  },
  { asks: /多少|多[高长大远久快]|几/, names: /[\d一二三四五六七八九十百千万亿]/ },
];

/** Returns 1 if a text contains the kind of thing asked for, -1 if not, and 0 if unknown. */
export function matchesKind(question: string, text: string): -1 | 0 | 1 {
  const kind = KINDS.find(({ asks }) => asks.test(question.trim()));
  if (kind === undefined) return 0;
  return kind.names.test(text) ? 1 : -1;
}

/** Phrases for the kind of thing asked for, which the answer replaces: "What color …?" is answered by "blue". */
const ASKED_FOR = [
  /\bhow (many|much|often|old|long|tall|high|far|large|big|fast|heavy|deep|wide|expensive)\b/gi,
  /\b(what|which)\s+(kind|type|sort|name|form)s?\s+of\b/gi,
  /\b(what|which)\s+(is|was|are|were)\s+the\s+(name|number|term|title|date|year)s?\s+(of|for)\b/gi,
  /\b(what|which)\s+(year|date|day|month|time|century|decade|percentage|percent|number|amount|colou?r|city|country|state|person|word|term|name|size|price|age|population)s?\b/gi,
];

export function withoutAskedFor(question: string): string {
  return ASKED_FOR.reduce((rest, phrase) => rest.replace(phrase, ' '), question);
}

/** Returns the noun after "what" or "which", which answers often omit; else an empty string. */
export function nounAskedFor(question: string): string {
  return /\b(?:what|which)\s+(\p{L}+)/iu.exec(withoutAskedFor(question))?.[1] ?? '';
}
