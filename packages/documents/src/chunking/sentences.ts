/** A part of a text, by its offsets. */
export interface Span {
  start: number;
  end: number;
}

/** So much is segmented at once: it takes memory by the length. */
const WINDOW = 20_000;
/** What ends no sentence, though a stop and a capital letter follow each other: initials and titles. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|Mrs?|Ms|Drs?|Prof|St|Sr|Jr|vs|No|Nos|Nr|Fig|Figs|Vol|pp?|ed|eds|cf|al|ca|e\.g|i\.e|z\.B|bzw|usw|Abb|Inc|Ltd|Co|Corp|Gen|Col|Lt|Sgt|Capt|Rev|Hon)\.\s*$/u;
const LONGEST_ABBREVIATION = 8;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a text in order, with the blanks behind them: together they are all of it. */
export function sentencesOf(text: string): Span[] {
  const sentences: Span[] = [];
  // A single end of line is how the text was printed, and ends no sentence.
  const flowing = text.replace(/(?<=[^\n])\n(?=[^\n])/g, ' ');
  for (let from = 0; from < text.length; ) {
    const window = flowing.slice(from, from + WINDOW);
    const isLast = from + WINDOW >= text.length;
    const found = [...segmenter.segment(window)].map(({ index, segment }) => ({
      start: from + index,
      end: from + index + segment.length,
    }));
    // What the window cuts is looked at again with what follows.
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
  ABBREVIATED.test(text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end));
