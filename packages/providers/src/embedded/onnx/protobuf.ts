// Protocol buffers, as far as models are written in them.

/** Pieces that follow each other: weights are large, so they are joined once. */
export type Pieces = Buffer[];

const VARINT = 0;
const LENGTH = 2;
/** How long values of a fixed length are, by their kinds. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

export interface Field {
  id: number;
  /** As it is written: with its key, so that it can be written again. */
  bytes: Buffer;
  /** Without its key and length. */
  content: Buffer;
  /** Of a whole number; of all others 0. */
  value: number;
}

/** The fields of a message, in their order. @throws Error where it is none */
export function* fieldsOf(message: Buffer): Generator<Field, void, undefined> {
  let at = 0;
  const varintAt = () => {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('A message is cut off');
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const from = at;
    const key = varintAt();
    const kind = key & 7;
    const value = kind === VARINT || kind === LENGTH ? varintAt() : 0;
    const length = kind === VARINT ? 0 : kind === LENGTH ? value : FIXED[kind];
    if (length === undefined || at + length > message.length) throw new Error('A message is cut off');
    const content = message.subarray(at, at + length);
    at += length;
    yield { id: key >>> 3, bytes: message.subarray(from, at), content, value: kind === VARINT ? value : 0 };
  }
}

/** A field of a length of its own: bytes, text, a message. */
export function field(id: number, content: Pieces | string): Pieces {
  const pieces = typeof content === 'string' ? [Buffer.from(content)] : content;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint((id << 3) | 2), varint(length), ...pieces];
}

export function number(id: number, value: number): Buffer {
  return Buffer.concat([varint(id << 3), varint(value)]);
}

export function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((id << 3) | 5), bytes]);
}

/** Seven bits a byte, the lowest first; negative ones as 64 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}
