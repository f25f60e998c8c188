import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** The largest size and offset without ZIP64. */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;

/** Largest content of an entry. */
export const MAX_ENTRY_BYTES = MAX_32 - 1;

/** UTF-8 names, and sizes after the content. */
const FLAGS = 0x0808;
const STORED = 0;
const DEFLATED = 8;
const VERSION = 20;
const VERSION_64 = 45;

interface Entry {
  name: Buffer;
  method: number;
  time: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

export interface EntryOptions {
  modified: Date;
  /** Default: true. Turn it off for files that are compressed already. */
  compress?: boolean;
}

/** Writes a ZIP file in pieces, with bounded memory: it keeps only the names of the entries. */
export class ZipWriter {
  readonly #entries: Entry[] = [];
  #offset = 0;

  /** Yields an entry. Entries follow one another. */
  async *entry(
    name: string,
    content: AsyncIterable<Uint8Array>,
    { modified, compress = true }: EntryOptions,
  ): AsyncGenerator<Uint8Array> {
    const entry: Entry = {
      name: Buffer.from(name),
      method: compress ? DEFLATED : STORED,
      time: dosTime(modified),
      crc: 0,
      packed: 0,
      size: 0,
      offset: this.#offset,
    };
    yield this.#count(localHeader(entry));
    const counted = async function* () {
      for await (const piece of content) {
        entry.crc = crc32(piece, entry.crc);
        entry.size += piece.length;
        if (entry.size > MAX_ENTRY_BYTES) throw new RangeError(`${name} is too large for a ZIP file`);
        yield piece;
      }
    };
    // Errors reach the loop.
    const packed: AsyncIterable<Uint8Array> = compress
      ? pipeline(counted, createDeflateRaw(), () => undefined)
      : counted();
    for await (const piece of packed) {
      entry.packed += piece.length;
      yield this.#count(piece);
    }
    yield this.#count(descriptor(entry));
    this.#entries.push(entry);
  }

  /** Yields the directory, which ends the file. */
  *end(): Generator<Uint8Array> {
    const offset = this.#offset;
    for (const entry of this.#entries) yield this.#count(directoryEntry(entry));
    const size = this.#offset - offset;
    yield directoryEnd(this.#entries.length, size, offset);
  }

  #count(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length;
    return bytes;
  }
}

function localHeader({ name, method, time }: Entry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(time, 10);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptor({ crc, packed, size }: Entry): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x0807_4b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(packed, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
}

function directoryEntry({ name, method, time, crc, packed, size, offset }: Entry): Buffer {
  const isFar = offset >= MAX_32;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(isFar ? VERSION_64 : VERSION, 4);
  header.writeUInt16LE(isFar ? VERSION_64 : VERSION, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(time, 12);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(packed, 20);
  header.writeUInt32LE(size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isFar ? MAX_32 : offset, 42);
  return Buffer.concat([header, name, extra]);
}

function directoryEnd(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && size < MAX_32 && offset < MAX_32) return end;
  const far = Buffer.alloc(76);
  far.writeUInt32LE(0x0606_4b50, 0);
  far.writeBigUInt64LE(44n, 4);
  far.writeUInt16LE(VERSION_64, 12);
  far.writeUInt16LE(VERSION_64, 14);
  far.writeBigUInt64LE(BigInt(count), 24);
  far.writeBigUInt64LE(BigInt(count), 32);
  far.writeBigUInt64LE(BigInt(size), 40);
  far.writeBigUInt64LE(BigInt(offset), 48);
  far.writeUInt32LE(0x0706_4b50, 56);
  far.writeBigUInt64LE(BigInt(offset + size), 64);
  far.writeUInt32LE(1, 72);
  return Buffer.concat([far, end]);
}

/** Returns a time as MS-DOS stores it, in UTC. */
function dosTime(date: Date): number {
  const day =
    ((Math.max(1980, date.getUTCFullYear()) - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}
