import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { synchronise } from './synchronise.ts';

/** The last acknowledged state of a store file and its log. */
export interface Acknowledged {
  /** The lineage mark of the log that `frames` counts. */
  mark: Uint8Array;
  /** The salts in that log's header. */
  salts: Uint8Array;
  /** How many frames of that log are acknowledged. */
  frames: number;
  /** True when the whole log is in the file, so that the log itself is no longer needed. */
  folded: boolean;
  /** True for a file that nothing was ever written to. */
  isNew: boolean;
  /** The file's size in pages after the last fold. */
  pages: number;
  /** Times of the last acknowledged commit and of the last fold, in milliseconds since the epoch. */
  committedAt: number;
  foldedAt: number;
}

const MAGIC = 0x43484352;
const MARK_BYTES = 24;
const SALT_BYTES = 8;
const SLOT_BYTES = 92;
/** Slots are a page apart, so that one torn write cannot damage both. */
const SLOT_OFFSETS = [0, 4096];
const FILE_BYTES = 8192;
/** How far the record on the disk may lag behind after a power cut. */
const SYNC_DELAY_MS = 1000;

/** The path of the commit record beside a store file. */
export const recordFile = (file: string): string => `${file}-commits`;

/** Reads the record beside a store file. Returns undefined when there is none, and 'damaged' when no slot is readable. */
export function readCommitRecord(file: string): Acknowledged | 'damaged' | undefined {
  const path = recordFile(file);
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  let newest: { sequence: bigint; state: Acknowledged } | undefined;
  for (const offset of SLOT_OFFSETS) {
    const slot = readSlot(bytes.subarray(offset, offset + SLOT_BYTES));
    if (slot && (!newest || slot.sequence > newest.sequence)) newest = slot;
  }
  return newest?.state ?? 'damaged';
}

function readSlot(slot: Buffer): { sequence: bigint; state: Acknowledged } | undefined {
  if (slot.length < SLOT_BYTES || slot.readUInt32LE(0) !== MAGIC) return undefined;
  if (crc32(slot.subarray(0, SLOT_BYTES - 4)) !== slot.readUInt32LE(SLOT_BYTES - 4)) return undefined;
  const state = {
    mark: slot.subarray(16, 16 + MARK_BYTES),
    salts: slot.subarray(40, 40 + SALT_BYTES),
    frames: slot.readUInt32LE(48),
    folded: (slot.readUInt32LE(4) & 1) !== 0,
    isNew: (slot.readUInt32LE(4) & 2) !== 0,
    pages: slot.readUInt32LE(52),
    committedAt: slot.readDoubleLE(56),
    foldedAt: slot.readDoubleLE(64),
  };
  return { sequence: slot.readBigUInt64LE(8), state };
}

/**
 * Writes what has been acknowledged to a small file beside the store, so that the next start can tell a log that is missing or cut
 * off. The record is only ever behind the log: it is written after the log is on the disk. Its two slots take turns, so that a torn
 * write leaves the other one.
 */
export class CommitRecord {
  readonly #descriptor: number;
  readonly #slot = Buffer.alloc(SLOT_BYTES);
  #state: Acknowledged;
  #sequence = 0n;
  #owesFold = false;
  #syncTimer: NodeJS.Timeout | undefined;

  /** Opens the record beside `file`, or makes it, and writes `state` to both slots. */
  constructor(file: string, state: Acknowledged) {
    const path = recordFile(file);
    const isNew = !existsSync(path);
    const opened = isNew ? `${path}.new` : path;
    if (isNew) writeFileSync(opened, Buffer.alloc(FILE_BYTES), { mode: 0o600 });
    const bytes = readFileSync(opened);
    for (const offset of SLOT_OFFSETS) {
      const sequence = readSlot(bytes.subarray(offset, offset + SLOT_BYTES))?.sequence ?? 0n;
      if (sequence > this.#sequence) this.#sequence = sequence;
    }
    this.#state = { ...state };
    this.#descriptor = openSync(opened, 'r+');
    this.#writeBoth();
    if (!isNew) return;
    renameSync(opened, path);
    synchronise(dirname(path));
  }

  /** Notes a commit, which is on the disk. Costs one write to the page cache; throws what that throws. */
  committed(log: Pick<Acknowledged, 'mark' | 'salts' | 'frames'>): void {
    Object.assign(this.#state, log, { folded: false, isNew: false, committedAt: Date.now() });
    this.#write();
    this.#syncTimer ??= setTimeout(() => this.#sync(), SYNC_DELAY_MS).unref();
  }

  /** Notes that the log is in the file. Must be on the disk before the next log begins: see `settle`. */
  folded(mark: Uint8Array, pages: number): void {
    this.#state = { ...this.#state, mark, pages, folded: true, foldedAt: Date.now() };
    this.#owesFold = true;
    this.settle();
  }

  /** Writes a fold to the disk that could not be written before. Throws when it still cannot. */
  settle(): void {
    if (!this.#owesFold) return;
    this.#writeBoth();
    this.#owesFold = false;
  }

  close(): void {
    clearTimeout(this.#syncTimer);
    fdatasyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }

  /** Both slots, so that neither tells of a log that is no longer there. */
  #writeBoth(): void {
    for (const _ of SLOT_OFFSETS) this.#write();
    fdatasyncSync(this.#descriptor);
  }

  #write(): void {
    const slot = this.#slot;
    const { mark, salts, frames, folded, isNew, pages, committedAt, foldedAt } = this.#state;
    this.#sequence += 1n;
    slot.writeUInt32LE(MAGIC, 0);
    slot.writeUInt32LE((folded ? 1 : 0) | (isNew ? 2 : 0), 4);
    slot.writeBigUInt64LE(this.#sequence, 8);
    slot.set(mark, 16);
    slot.set(salts, 40);
    slot.writeUInt32LE(frames, 48);
    slot.writeUInt32LE(pages, 52);
    slot.writeDoubleLE(committedAt, 56);
    slot.writeDoubleLE(foldedAt, 64);
    slot.writeUInt32LE(crc32(slot.subarray(0, SLOT_BYTES - 4)), SLOT_BYTES - 4);
    writeSync(this.#descriptor, slot, 0, SLOT_BYTES, SLOT_OFFSETS[Number(this.#sequence % 2n)] as number);
  }

  /** In the background: a failure only means that the record on the disk lags, and the next commit tries again. */
  #sync(): void {
    fdatasync(this.#descriptor, () => undefined);
    this.#syncTimer = undefined;
  }
}

/** The state of a file that no log belongs to. */
export function foldedState(mark: Uint8Array, pages: number, isNew = false): Acknowledged {
  const now = Date.now();
  const none = { salts: Buffer.alloc(SALT_BYTES), frames: 0 };
  return { mark, ...none, folded: true, isNew, pages, committedAt: now, foldedAt: now };
}
