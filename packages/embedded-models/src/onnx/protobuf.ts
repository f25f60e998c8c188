// Reads and writes the parts of Protocol Buffers that models use.

/** Buffers to be joined once, since weights are large. */
export type Pieces = Buffer[];

const VARINT = 0;
const LENGTH = 2;
/** Lengths of fixed-size values by wire type. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

export interface Field {
  id: number;
  /** The whole field with its key, to be written again. */
  bytes: Buffer;
  /** The content without key and length. */
  content: Buffer;
  /** The value of an integer. 0 for other types. */
  value: number;
}

/** Iterates over the fields of a message. @throws Error if it is malformed */
export function* fieldsOf(message: Buffer): Generator<Field, void, undefined> {
  let at = 0;
  const varintAt = () => {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('The message is truncated');
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
    if (length === undefined || at + length > message.length) throw new Error('The message is truncated');
    const content = message.subarray(at, at + length);
    at += length;
    yield { id: key >>> 3, bytes: message.subarray(from, at), content, value: kind === VARINT ? value : 0 };
  }
}

/** Writes a length-delimited field: bytes, text or a message. */
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

/** Writes seven bits per byte, lowest first. Negative numbers take 64 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}
