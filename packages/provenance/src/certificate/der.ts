/** Writes the subset of DER (X.690) that our certificates need. `node:crypto` and the C2PA library read it. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf(content: Uint8Array): Buffer {
  if (content.length < 0x80) return Buffer.from([content.length]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(content.length);
  const significant = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([0x80 | significant.length]), significant]);
}

export const sequence = (...items: Uint8Array[]) => element(TAG.sequence, ...items);
export const set = (...items: Uint8Array[]) => element(TAG.set, ...items);
export const octetString = (content: Uint8Array) => element(TAG.octetString, content);
export const bitString = (content: Uint8Array, unusedBits = 0) =>
  element(TAG.bitString, Buffer.from([unusedBits]), content);
export const utf8String = (text: string) => element(TAG.utf8String, Buffer.from(text));
export const boolean = (value: boolean) => element(TAG.boolean, Buffer.from([value ? 0xff : 0]));

export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  // A leading zero keeps it positive.
  return element(TAG.integer, Buffer.from((significant[0] as number) & 0x80 ? [0] : []), significant);
}

/** Encodes an OID, such as `2.5.29.15`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(TAG.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** Encodes UTC seconds. Certificates need two-digit years before 2050. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? element(TAG.utcTime, Buffer.from(text.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(text));
}

/** Wraps an element in `[number]`. */
export const explicit = (number: number, content: Uint8Array) => element(0xa0 | number, content);

/** Replaces a primitive element's tag with `[number]`. */
export const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content);
