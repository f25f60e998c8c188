import { setImmediate as othersFirst } from 'node:timers/promises';
import { analyse } from './analyse.ts';

/** Characters that are analysed in one go: some milliseconds of work. */
const SLICE_CHARS = 8_192;

/** How far before its end a slice may be cut to end between words. */
const SEARCHED_CHARS = 256;

/** The terms of a long text, slice by slice; between them the process does what else it has to. */
export async function* analysedSlices(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; ) {
    if (start > 0) await othersFirst();
    const end = endOfSlice(text, start);
    yield analyse(text.slice(start, end));
    start = end;
  }
}

/** Between two words if there is such a place; what is written without blanks is cut anywhere, and loses one piece or two there. */
function endOfSlice(text: string, start: number): number {
  const end = start + SLICE_CHARS;
  if (end >= text.length) return text.length;
  const tail = text.slice(end - SEARCHED_CHARS, end);
  const blank = Math.max(tail.lastIndexOf(' '), tail.lastIndexOf('\n'));
  return blank < 0 ? end : end - SEARCHED_CHARS + blank + 1;
}
