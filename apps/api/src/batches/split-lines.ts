import { ChorusError } from '@chorus/contract';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A line that is not blank, without its end. */
export interface TextLine {
  bytes: Buffer;
  /** From 1. Blank lines count. */
  number: number;
}

/** Blank lines cost time, and no file needs many of them. */
const MAX_BLANK = 100_000;

/**
 * Splits text into its lines, with backpressure.
 * @throws {ChorusError} payload_too_large for a line that is too long, or for too many blank lines
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<TextLine> {
  let pieces: Buffer[] = [];
  let held = 0;
  let number = 0;
  let blank = 0;
  const skip = () => {
    blank += 1;
    if (blank <= MAX_BLANK) return;
    throw new ChorusError('payload_too_large', `The text has more than ${MAX_BLANK} blank lines.`);
  };
  const take = (end: Buffer, length: number): TextLine => {
    number += 1;
    if (length > maxBytes) throw longLine(maxBytes);
    const bytes = Buffer.concat([...pieces, end], length);
    const isMarked = number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    return { bytes: isMarked ? bytes.subarray(3) : bytes, number };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = take(chunk.subarray(from, end), held + end - from);
      [pieces, held, from] = [[], 0, end + 1];
      if (isBlank(line.bytes)) skip();
      else yield line;
    }
    pieces.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > maxBytes) throw longLine(maxBytes);
  }
  const last = take(Buffer.alloc(0), held);
  if (!isBlank(last.bytes)) yield last;
}

function longLine(maxBytes: number): ChorusError {
  return new ChorusError('payload_too_large', `A line is longer than ${maxBytes} bytes.`);
}

function isBlank(line: Buffer): boolean {
  return line.every((code) => code === 0x20 || code === 0x0d || code === 0x09);
}
