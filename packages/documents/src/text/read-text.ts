import { readFile, stat } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract';
import { findEncoding } from './find-encoding.ts';

const PIECE_BYTES = 65_536;
/** Where a text says what it is in: so far from its beginning. */
const HEAD_BYTES = 2_048;

export interface OpenedText {
  /** In characters of this encoding it was read. */
  encoding: string;
  sizeBytes: number;
  /** The text in pieces, and how many bytes are read with each. */
  pieces(): Generator<{ text: string; readBytes: number }>;
}

/** @throws ChorusError `payload_too_large`, `unsupported_media_type` for what is no text, `invalid_request` for nothing */
export async function openText(path: string, maxBytes: number): Promise<OpenedText> {
  const { size } = await stat(path);
  if (size > maxBytes)
    throw new ChorusError('payload_too_large', `A text may have ${maxBytes} bytes; this one has ${size}.`);
  return textOf(await readFile(path));
}

/** @throws as `openText` */
export function textOf(bytes: Uint8Array): OpenedText {
  const encoding = findEncoding(bytes, toldEncoding(bytes));
  if (encoding === null)
    throw new ChorusError('unsupported_media_type', 'The file is no text, and of no other kind that can be read.');
  return {
    encoding,
    sizeBytes: bytes.length,
    *pieces() {
      const decoder = new TextDecoder(encoding);
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        const end = Math.min(at + PIECE_BYTES, bytes.length);
        yield { text: decoder.decode(bytes.subarray(at, end), { stream: end < bytes.length }), readBytes: end };
      }
    },
  };
}

/** What HTML and XML say that they are in; null: nothing. */
function toldEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
  const found =
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:-]{2,40})|^<\?xml[^>]{0,100}encoding\s*=\s*["']([\w:-]{2,40})/i.exec(
      head,
    );
  const told = found?.[1] ?? found?.[2] ?? null;
  // A text that can be read so far as ASCII is not in UTF-16, whatever it says.
  return told !== null && /^utf-?16/i.test(told) ? null : told;
}

/** The lines of a text, without their ends. */
export function* linesOf(text: OpenedText): Generator<{ line: string; readBytes: number }> {
  let rest = '';
  let read = 0;
  for (const { text: piece, readBytes } of text.pieces()) {
    read = readBytes;
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      yield { line: withoutReturn(rest + piece.slice(from, end)), readBytes };
      rest = '';
      from = end + 1;
    }
    rest += piece.slice(from);
  }
  if (rest !== '') yield { line: withoutReturn(rest), readBytes: read };
}

const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line);
