const LONGEST_TITLE = 60;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A title out of a message's first words: one line of at most 60 characters (UTF-16 units), cut between words where it can be. Null: no words. */
export function titleFrom(message: string): string | null {
  // A message may be a million characters; what is far behind can't matter.
  const line = message
    .slice(0, LONGEST_TITLE * 50)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line === '') return null;
  if (line.length <= LONGEST_TITLE) return line;
  const space = line.lastIndexOf(' ', LONGEST_TITLE);
  return space > 0 ? line.slice(0, space) : wholeCharacters(line, LONGEST_TITLE);
}

/** As many characters, as people see them, as fit. */
function wholeCharacters(text: string, limit: number): string {
  let end = 0;
  for (const { index, segment } of graphemes.segment(text.slice(0, limit * 4))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end === 0 ? limit : end);
}
