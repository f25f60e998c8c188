import { setImmediate as othersFirst } from 'node:timers/promises';
import { analyze } from './analyze.ts';

const SLICE_CHARS = 8_192;

const SEARCHED_CHARS = 256;

/** Yields the terms of a long text slice by slice, and lets other work run in between. */
export async function* analyzedSlices(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; ) {
    if (start > 0) await othersFirst();
    const end = endOfSlice(text, start);
    yield analyze(text.slice(start, end));
    start = end;
  }
}

/** Cuts between words if possible; in scripts without spaces a piece or two may be lost. */
function endOfSlice(text: string, start: number): number {
  const end = start + SLICE_CHARS;
  if (end >= text.length) return text.length;
  const tail = text.slice(end - SEARCHED_CHARS, end);
  const blank = Math.max(tail.lastIndexOf(' '), tail.lastIndexOf('\n'));
  return blank < 0 ? end : end - SEARCHED_CHARS + blank + 1;
}
