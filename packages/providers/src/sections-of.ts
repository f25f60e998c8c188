/** Ends of sentences, and of paragraphs. */
const ENDS = /[.!?…]["'”’»)\]]*\s+|[。！？]|\n+/g;

/** Splits a long text into sections of at most `max` characters, at the end of a sentence if possible. */
export function sectionsOf(text: string, max: number): string[] {
  const sections: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const cut = lastEnd(rest.slice(0, max));
    sections.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut);
  }
  return [...sections, rest.trim()].filter((section) => section !== '');
}

/** Returns where to cut a beginning: after the last sentence, else after the last word. */
function lastEnd(head: string): number {
  const end = [...head.matchAll(ENDS)].at(-1);
  if (end !== undefined) return end.index + end[0].length;
  const space = head.search(/\s\S*$/);
  if (space > 0) return space + 1;
  // Does not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(head) ? head.length - 1 : head.length;
}
