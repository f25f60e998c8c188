import { ChorusError } from '@chorus/contract';
import { Parser } from 'htmlparser2';
import { findEncoding } from '../text/find-encoding.ts';
import type { Package } from './open-package.ts';

/** Elements within each other. */
const MAX_DEPTH = 3_000;

/** The value of an attribute by its name without prefix; undefined: there is none. */
export type Attributes = (name: string) => string | undefined;

/** Names come without their prefix: each reader knows one vocabulary, whose names do not clash where it looks. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads an XML file of an archive as it is unpacked. Entities of its own are not known, so none can swell.
 *
 * @param afterPiece called behind each piece with the bytes read so far
 * @throws ChorusError as `Package.pieces`, and what the handler throws
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
          throw new ChorusError('invalid_request', `The file has more than ${MAX_DEPTH} elements within each other.`);
        handler.open?.(localName(tag), (wanted) => attributeOf(attributes, wanted));
      },
      onclosetag(tag) {
        depth -= 1;
        handler.close?.(localName(tag));
      },
      ontext(text) {
        packed.meetText(text.length);
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

/** XML in archives is UTF-8, or UTF-16 with its mark. */
function wideEncoding(head: Uint8Array): string {
  const found = head[0] === 0xff || head[0] === 0xfe ? findEncoding(head.subarray(0, 2)) : null;
  return found ?? 'utf-8';
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Without a prefix wins: `id` before `r:id`, which is asked for by `r:id`. */
function attributeOf(attributes: Record<string, string>, wanted: string): string | undefined {
  const exact = attributes[wanted];
  if (exact !== undefined || wanted.includes(':')) return exact;
  for (const [name, value] of Object.entries(attributes)) if (localName(name) === wanted) return value;
  return undefined;
}
