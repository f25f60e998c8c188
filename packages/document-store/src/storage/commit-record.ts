import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

export interface CommitState {
  mark: Uint8Array;
  salts: Uint8Array;
  frames: number;
  /** True if the file contains the whole log, which is then no longer needed. */
  checkpointed: boolean;
  /** True if the file was never written to. */
  isNew: boolean;
  /** The file's size in pages after the last checkpoint. */
  pages: number;
  committedAt: number;
  checkpointedAt: number;
}

export type RecordedState = CommitState | 'damaged' | undefined;

const MAGIC = 0x43484352;
const MARK_BYTES = 24;
const SALT_BYTES = 8;
const SLOT_BYTES = 92;
/** Slots are on different pages, so that one torn write cannot damage both. */
const SLOT_OFFSETS = [0, 4096];
const FILE_BYTES = 8192;
/** How far the record on disk may lag after a power failure. */
const SYNC_DELAY_MS = 1000;

export const recordFile = (file: string): string => `${file}-commits`;

/** Reads a store file's record; undefined if missing, 'damaged' if no slot is readable. */
export function readCommitRecord(file: string): RecordedState {
  const path = recordFile(file);
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  let newest: { sequence: bigint; state: CommitState } | undefined;
  for (const offset of SLOT_OFFSETS) {
    const slot = readSlot(bytes.subarray(offset, offset + SLOT_BYTES));
    if (slot && (!newest || slot.sequence > newest.sequence)) newest = slot;
  }
  return newest?.state ?? 'damaged';
}

function readSlot(slot: Buffer): { sequence: bigint; state: CommitState } | undefined {
  if (slot.length < SLOT_BYTES || slot.readUInt32LE(0) !== MAGIC) return undefined;
  if (crc32(slot.subarray(0, SLOT_BYTES - 4)) !== slot.readUInt32LE(SLOT_BYTES - 4)) return undefined;
  const state = {
    mark: slot.subarray(16, 16 + MARK_BYTES),
    salts: slot.subarray(40, 40 + SALT_BYTES),
    frames: slot.readUInt32LE(48),
    checkpointed: (slot.readUInt32LE(4) & 1) !== 0,
    isNew: (slot.readUInt32LE(4) & 2) !== 0,
    pages: slot.readUInt32LE(52),
    committedAt: slot.readDoubleLE(56),
    checkpointedAt: slot.readDoubleLE(64),
  };
  return { sequence: slot.readBigUInt64LE(8), state };
}

/**
 * Records what has been acknowledged, so that the next start detects a missing or truncated log.
 * The record is written after the log is synced, so it never runs ahead. It alternates between two
 * slots, so that a torn write leaves the other one.
 */
export class CommitRecord {
  readonly #descriptor: number;
  readonly #slot = Buffer.alloc(SLOT_BYTES);
  #state: CommitState;
  #sequence = 0n;
  #checkpointPending = false;
  #syncTimer: NodeJS.Timeout | undefined;

  constructor(file: string, state: CommitState) {
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
    syncToDisk(dirname(path));
  }

  /** Records a synced commit with one write to the page cache. Throws if that fails. */
  committed(log: Pick<CommitState, 'mark' | 'salts' | 'frames'>): void {
    Object.assign(this.#state, log, { checkpointed: false, isNew: false, committedAt: Date.now() });
    this.#write();
    this.#syncTimer ??= setTimeout(() => this.#sync(), SYNC_DELAY_MS).unref();
  }

  /** Records a checkpoint. It must be synced before the next log begins; see `flushCheckpoint`. */
  checkpointed(mark: Uint8Array, pages: number): void {
    this.#state = { ...this.#state, mark, pages, checkpointed: true, checkpointedAt: Date.now() };
    this.#checkpointPending = true;
    this.flushCheckpoint();
  }

  /** Retries writing a checkpoint that could not be written. Throws if it fails again. */
  flushCheckpoint(): void {
    if (!this.#checkpointPending) return;
    this.#writeBoth();
    this.#checkpointPending = false;
  }

  close(): void {
    clearTimeout(this.#syncTimer);
    fdatasyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }

  /** Writes both slots, so that neither describes a deleted log. */
  #writeBoth(): void {
    for (const _ of SLOT_OFFSETS) this.#write();
    fdatasyncSync(this.#descriptor);
  }

  #write(): void {
    const slot = this.#slot;
    const { mark, salts, frames, checkpointed, isNew, pages, committedAt, checkpointedAt } = this.#state;
    this.#sequence += 1n;
    slot.writeUInt32LE(MAGIC, 0);
    slot.writeUInt32LE((checkpointed ? 1 : 0) | (isNew ? 2 : 0), 4);
    slot.writeBigUInt64LE(this.#sequence, 8);
    slot.set(mark, 16);
    slot.set(salts, 40);
    slot.writeUInt32LE(frames, 48);
    slot.writeUInt32LE(pages, 52);
    slot.writeDoubleLE(committedAt, 56);
    slot.writeDoubleLE(checkpointedAt, 64);
    slot.writeUInt32LE(crc32(slot.subarray(0, SLOT_BYTES - 4)), SLOT_BYTES - 4);
    writeSync(this.#descriptor, slot, 0, SLOT_BYTES, SLOT_OFFSETS[Number(this.#sequence % 2n)] as number);
  }

  /** A failure only makes the record on disk lag. The next commit tries again. */
  #sync(): void {
    fdatasync(this.#descriptor, () => undefined);
    this.#syncTimer = undefined;
  }
}

export function checkpointedState(mark: Uint8Array, pages: number, isNew = false): CommitState {
  const now = Date.now();
  const none = { salts: Buffer.alloc(SALT_BYTES), frames: 0 };
  return { mark, ...none, checkpointed: true, isNew, pages, committedAt: now, checkpointedAt: now };
}

export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
