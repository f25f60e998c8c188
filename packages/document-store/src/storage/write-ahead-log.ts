import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Marks little-endian checksums. The value for big-endian ones is one higher. */
const LITTLE_ENDIAN_MAGIC = 0x377f0682;

export interface LogContents {
  salts: Buffer;
  frames: number;
  pages: number;
  first: Pages;
  /** True if acknowledged frames follow an unreadable one. */
  damaged: boolean;
}

/**
 * Reads a log before SQLite, which silently drops everything after a damaged frame. Returns
 * undefined if there is no complete transaction.
 */
export function readLog(logFile: string): LogContents | undefined {
  if (!existsSync(logFile)) return undefined;
  const descriptor = openSync(logFile, 'r');
  try {
    return new LogReader(descriptor).read();
  } finally {
    closeSync(descriptor);
  }
}

export function readSalts(logFile: string): Buffer {
  const descriptor = openSync(logFile, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return header.subarray(16, 24);
  } finally {
    closeSync(descriptor);
  }
}

type Pages = Map<number, Buffer>;

class LogReader {
  readonly #descriptor: number;
  readonly #littleEndian: boolean;
  readonly #salts: Buffer;
  readonly #headerIsWhole: boolean;
  #frame = Buffer.alloc(0);
  #position = HEADER_BYTES;
  #sums: [number, number] = [0, 0];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    const header = Buffer.alloc(HEADER_BYTES);
    const isEmpty = readSync(descriptor, header, 0, HEADER_BYTES, 0) === 0 || header.every((byte) => byte === 0);
    this.#littleEndian = header.readUInt32BE(0) === LITTLE_ENDIAN_MAGIC;
    this.#salts = header.subarray(16, 24);
    this.#sum(header.subarray(0, 24));
    this.#headerIsWhole = isEmpty || this.#sumsAre(header, 24);
    if (!isEmpty && this.#headerIsWhole) this.#frame = Buffer.alloc(FRAME_HEADER_BYTES + header.readUInt32BE(8));
  }

  read(): LogContents | undefined {
    const first: Pages = new Map();
    const log = { salts: this.#salts, frames: 0, pages: 0, first, damaged: !this.#headerIsWhole };
    for (let frames = 1; this.#readFrame() && this.#isValid(); frames += 1) {
      if (log.frames === 0)
        first.set(this.#frame.readUInt32BE(0), Buffer.from(this.#frame.subarray(FRAME_HEADER_BYTES)));
      if (!this.#endsTransaction) continue;
      log.frames = frames;
      log.pages = this.#frame.readUInt32BE(4);
    }
    // A transaction starts only when the one before it is on disk. A later transaction therefore proves that a
    // broken one is damaged, not unfinished.
    let ended = false;
    for (let more = this.#isCurrent; more; more = this.#readFrame() && this.#isCurrent) {
      if (ended) log.damaged = true;
      ended = this.#endsTransaction;
    }
    return log.frames > 0 || log.damaged ? log : undefined;
  }

  #readFrame(): boolean {
    const { length } = this.#frame;
    const read = length > 0 ? readSync(this.#descriptor, this.#frame, 0, length, this.#position) : 0;
    this.#position += length;
    if (read === length && length > 0) return true;
    this.#frame = Buffer.alloc(0);
    return false;
  }

  /** False for frames of an earlier log that are not overwritten yet. */
  get #isCurrent(): boolean {
    return this.#frame.length > 0 && this.#frame.subarray(8, 16).equals(this.#salts);
  }

  #isValid(): boolean {
    if (!this.#isCurrent) return false;
    this.#sum(this.#frame.subarray(0, 8));
    this.#sum(this.#frame.subarray(FRAME_HEADER_BYTES));
    return this.#sumsAre(this.#frame, 16);
  }

  get #endsTransaction(): boolean {
    return this.#frame.readUInt32BE(4) !== 0;
  }

  #sum(bytes: Buffer): void {
    let [one, other] = this.#sums;
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 8) {
      one = (one + words.getUint32(at, this.#littleEndian) + other) >>> 0;
      other = (other + words.getUint32(at + 4, this.#littleEndian) + one) >>> 0;
    }
    this.#sums = [one, other];
  }

  #sumsAre(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#sums[0] && bytes.readUInt32BE(at + 4) === this.#sums[1];
  }
}
