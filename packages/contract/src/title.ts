const MAX_TITLE_LENGTH = 60;

/** Maximum length of a session's title. */
export const MAX_STORED_TITLE = 200;

/** Created on first use, since the first one in a process takes 30 ms. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Makes a title of a message's first words: one line of at most 60 UTF-16 units, cut between words if possible.
 * Null: no words.
 */
export function titleFrom(message: string): string | null {
  // A message may be a million characters long, but only its start matters.
  const line = message
    .slice(0, MAX_TITLE_LENGTH * 50)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line === '') return null;
  if (line.length <= MAX_TITLE_LENGTH) return line;
  const space = line.lastIndexOf(' ', MAX_TITLE_LENGTH);
  return space > 0 ? line.slice(0, space) : fitGraphemes(line, MAX_TITLE_LENGTH);
}

const FORK_NOTE = ' (fork)';

/** Returns the title of a session's fork. A fork of a fork gets one note only. */
export function forkTitle(title: string): string {
  return title.endsWith(FORK_NOTE) ? title : fitGraphemes(title, MAX_STORED_TITLE - FORK_NOTE.length) + FORK_NOTE;
}

/** Cuts a text to as many grapheme clusters as fit. */
function fitGraphemes(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of graphemes.segment(text.slice(0, limit * 4))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end === 0 ? limit : end);
}
