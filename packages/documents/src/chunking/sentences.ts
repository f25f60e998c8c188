export interface Span {
  start: number;
  end: number;
}

/** Segmenting takes memory in proportion to the length, so it works in windows. */
const WINDOW = 20_000;
/** Initials and titles before a capital letter, which do not end a sentence. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|Mrs?|Ms|Drs?|Prof|St|Sr|Jr|vs|No|Nos|Nr|Fig|Figs|Vol|pp?|ed|eds|cf|al|ca|e\.g|i\.e|z\.B|bzw|usw|Abb|Inc|Ltd|Co|Corp|Gen|Col|Lt|Sgt|Capt|Rev|Hon)\.\s*$/u;
const MAX_ABBREVIATION_LENGTH = 8;

/** Created on first use, since the first one in a process takes 30 ms. */
let segmenter: Intl.Segmenter | undefined;

export function sentencesOf(text: string): Span[] {
  const sentences: Span[] = [];
  // Single line breaks come from the layout, and do not end a sentence.
  const flowing = text.replace(/(?<=[^\n])\n(?=[^\n])/g, ' ');
  for (let from = 0; from < text.length; ) {
    const window = flowing.slice(from, from + WINDOW);
    const isLast = from + WINDOW >= text.length;
    segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
    const found = [...segmenter.segment(window)].map(({ index, segment }) => ({
      start: from + index,
      end: from + index + segment.length,
    }));
    // A sentence that the window cuts is read again with the next window.
    if (!isLast && found.length > 1) found.pop();
    for (const span of found) {
      const before = sentences.at(-1);
      if (before && endsAbbreviated(flowing, before)) before.end = span.end;
      else sentences.push(span);
    }
    from = found.at(-1)?.end ?? text.length;
  }
  return sentences;
}

const endsAbbreviated = (text: string, { start, end }: Span) =>
  ABBREVIATED.test(text.slice(Math.max(start, end - MAX_ABBREVIATION_LENGTH), end));
