import { readFile, stat } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract/errors';
import type { ParseTask } from '../parse-task.ts';
import { findEncoding } from './find-encoding.ts';

type TextTask = Pick<ParseTask, 'path' | 'bytes'> & { limits: Pick<ParseTask['limits'], 'textBytes'> };

const PIECE_BYTES = 65_536;
const HEAD_BYTES = 2_048;

export interface OpenedText {
  encoding: string;
  sizeBytes: number;
  pieces(): Generator<{ text: string; readBytes: number }>;
}

/**
 * @throws {ChorusError} payload_too_large; unsupported_media_type if it is not text; invalid_request if it is
 * empty
 */
export async function openText({ path, bytes, limits }: TextTask): Promise<OpenedText> {
  if (bytes !== undefined) return textOf(bytes);
  const maxBytes = limits.textBytes;
  const { size } = await stat(path);
  if (size > maxBytes)
    throw new ChorusError('payload_too_large', `The text has ${size} bytes; the limit is ${maxBytes} bytes.`);
  return textOf(await readFile(path));
}

export function textOf(bytes: Uint8Array): OpenedText {
  const encoding = findEncoding(bytes, declaredEncoding(bytes));
  if (encoding === null)
    throw new ChorusError('unsupported_media_type', 'The file is not text, and its format is not supported.');
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

function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
  const found =
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:-]{2,40})|^<\?xml[^>]{0,100}encoding\s*=\s*["']([\w:-]{2,40})/i.exec(
      head,
    );
  const declared = found?.[1] ?? found?.[2] ?? null;
  // Text that reads as ASCII is not UTF-16, whatever it declares.
  return declared !== null && /^utf-?16/i.test(declared) ? null : declared;
}

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

export function encodingWarning({ encoding }: OpenedText): { warnings: string[] } {
  if (encoding.startsWith('utf-')) return { warnings: [] };
  return { warnings: [`The text is not in UTF-8. It was read as ${encoding}.`] };
}
