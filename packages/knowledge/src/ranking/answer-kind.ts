/** What kind of thing a question asks for, and how a sentence that names one looks. In most languages it says nothing. */
const KINDS: { asks: RegExp; names: RegExp }[] = [
  {
    asks: /^(who|whose|whom)\b/i,
    names: /(?:^|\s)\p{Lu}[\p{L}.'’-]+(?:\s+(?:(?:de|van|von|del|of)\s)?\p{Lu}[\p{L}.'’-]*)+/u,
  },
  {
    asks: /^when\b|\b(what|which) (year|date|day|century|decade)\b/i,
    names:
      /\b(1\d{3}|20\d\d)\b|\b(January|February|March|April|May|June|July|August|September|October|November|December|century)\b/,
  },
  {
    asks: /\bhow (many|much|old|long|tall|high|far|large|big|fast)\b|\b(what|which) (percentage|number|temperature|speed|amount|age)\b/i,
    names: /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|half)\b/i,
  },
  { asks: /多少|多[高长大远久快]|几/, names: /[\d一二三四五六七八九十百千万亿]/ },
];

/** 1 where a sentence names what is asked for, -1/2 where it does not, 0 where that can't be told. */
export function fitsKind(question: string, sentence: string): number {
  const kind = KINDS.find(({ asks }) => asks.test(question.trim()));
  if (kind === undefined) return 0;
  return kind.names.test(sentence) ? 1 : -0.5;
}
