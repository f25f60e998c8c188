import { ChorusError } from '@chorus/contract/errors';
import { Parser } from 'htmlparser2';
import { findEncoding } from '../text/find-encoding.ts';
import type { Package } from './open-package.ts';

const MAX_DEPTH = 3_000;

export type Attributes = (name: string) => string | undefined;

/** Names come without prefixes, since they do not clash within one vocabulary. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Parses an XML file of an archive while unpacking it. Custom entities are not expanded.
 *
 * @param afterPiece called after each piece with the bytes read so far
 * @throws {ChorusError} as `Package.pieces`, and errors of the handler
 */
export async function readXml(
  packed: Package,
  name: string,
  handler: XmlHandler,
  afterPiece?: (readBytes: number) => Promise<void>,
): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        depth += 1;
        if (depth > MAX_DEPTH)
          throw new ChorusError('invalid_request', `The file has more than ${MAX_DEPTH} levels of nested elements.`);
        handler.open?.(localName(tag), (wanted) => attributeOf(attributes, wanted));
      },
      onclosetag(tag) {
        depth -= 1;
        handler.close?.(localName(tag));
      },
      ontext(text) {
        packed.countText(text.length);
        handler.text?.(text);
      },
    },
    { xmlMode: true },
  );
  let decoder: TextDecoder | null = null;
  let readBytes = 0;
  for await (const piece of packed.pieces(name)) {
    decoder ??= new TextDecoder(wideEncoding(piece));
    readBytes += piece.length;
    parser.write(decoder.decode(piece, { stream: true }));
    await afterPiece?.(readBytes);
  }
  parser.end(decoder?.decode());
}

/** Detects UTF-16 by its byte order mark; other XML in archives is UTF-8. */
function wideEncoding(head: Uint8Array): string {
  const found = head[0] === 0xff || head[0] === 0xfe ? findEncoding(head.subarray(0, 2)) : null;
  return found ?? 'utf-8';
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** An attribute without prefix wins: `id` before `r:id`. */
function attributeOf(attributes: Record<string, string>, wanted: string): string | undefined {
  const exact = attributes[wanted];
  if (exact !== undefined || wanted.includes(':')) return exact;
  for (const [name, value] of Object.entries(attributes)) if (localName(name) === wanted) return value;
  return undefined;
}
