import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DataDirectoryError } from './data-directory-error.ts';
import { nextMark } from './lineage.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The header's first field when checksums are over little-endian words; big-endian ones have the next number. */
const LITTLE_ENDIAN_MAGIC = 0x377f0682;

/**
 * Looks at the log that a killed server has left, before SQLite does: SQLite takes over whatever log lies beside a file, and drops
 * without a word all that comes behind a damaged place. Throws `DataDirectoryError` for the log of another file, and for one with
 * damage in front of a transaction that was synchronised; a last transaction that was never finished is no damage.
 */
export function checkLog(file: string): void {
  const logFile = `${file}-wal`;
  if (!existsSync(logFile)) return;
  const descriptor = openSync(logFile, 'r');
  try {
    const first = new LogReader(descriptor, logFile).readTransactions();
    if (first) checkLineage(first, file, logFile);
  } finally {
    closeSync(descriptor);
  }
}

/** The pages of one transaction, by number. */
type Pages = Map<number, Buffer>;

class LogReader {
  readonly #descriptor: number;
  readonly #file: string;
  readonly #littleEndian: boolean;
  readonly #salt: Buffer | undefined;
  #frame = Buffer.alloc(0);
  #position = HEADER_BYTES;
  #sums: [number, number] = [0, 0];

  constructor(descriptor: number, file: string) {
    this.#descriptor = descriptor;
    this.#file = file;
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    this.#littleEndian = header.readUInt32BE(0) === LITTLE_ENDIAN_MAGIC;
    if (header.every((byte) => byte === 0)) return;
    this.#sum(header.subarray(0, 24));
    if (!this.#sumsAre(header, 24)) throw this.#damaged();
    this.#salt = header.subarray(16, 24);
    this.#frame = Buffer.alloc(FRAME_HEADER_BYTES + header.readUInt32BE(8));
  }

  /** Reads the log to its end; answers the first transaction, if there is a whole one. */
  readTransactions(): Pages | undefined {
    let first: Pages | undefined;
    const pages: Pages = new Map();
    while (this.#readFrame() && this.#isValid()) {
      if (first) continue;
      pages.set(this.#frame.readUInt32BE(0), Buffer.from(this.#frame.subarray(FRAME_HEADER_BYTES)));
      if (this.#endsTransaction) first = pages;
    }
    // A transaction is written only when the one before it is on the disk. So where one more begins behind the end of a broken one,
    // the break is no unfinished write.
    let ended = false;
    for (let more = this.#belongs; more; more = this.#readFrame() && this.#belongs) {
      if (ended) throw this.#damaged();
      ended = this.#endsTransaction;
    }
    return first;
  }

  #readFrame(): boolean {
    const { length } = this.#frame;
    const read = length > 0 ? readSync(this.#descriptor, this.#frame, 0, length, this.#position) : 0;
    this.#position += length;
    if (read === length && length > 0) return true;
    this.#frame = Buffer.alloc(0);
    return false;
  }

  /** False for the frames of an earlier log, which this one has not yet overwritten. */
  get #belongs(): boolean {
    return this.#frame.length > 0 && this.#frame.subarray(8, 16).equals(this.#salt as Buffer);
  }

  #isValid(): boolean {
    if (!this.#belongs) return false;
    this.#sum(this.#frame.subarray(0, 8));
    this.#sum(this.#frame.subarray(FRAME_HEADER_BYTES));
    return this.#sumsAre(this.#frame, 16);
  }

  get #endsTransaction(): boolean {
    return this.#frame.readUInt32BE(4) !== 0;
  }

  /** SQLite's checksum of a log: each is over all that stands before it. */
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

  #damaged(): DataDirectoryError {
    return new DataDirectoryError(
      `${this.#file} is damaged: writes that were acknowledged can't be read. Restore a backup.`,
    );
  }
}

/** A log's first transaction holds the page of the file's lineage, counted up; in the file it may or may not have arrived. */
function checkLineage(first: Pages, file: string, logFile: string): void {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1'); // reads the file as it is, without the log
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const table = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'lineage'").get();
    if (!table) return; // of format 1, or no store file, as the next check will say
    const { mark } = database.prepare('SELECT mark FROM lineage').get() as { mark: Uint8Array };
    const page = first.get(Number(table.rootpage));
    if (page?.includes(mark) || page?.includes(nextMark(mark))) return;
    throw new DataDirectoryError(
      `${logFile} is the log of another file than ${file}: move it away, or restore a backup.`,
    );
  } finally {
    database.close();
  }
}
