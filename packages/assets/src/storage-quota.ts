import { ChorusError, type Owner, scopeKey } from '@chorus/contract';
import type { StorageRepository } from '@chorus/database';

/** What a scope stores is read again after as long, while bodies come. */
const REFRESH_MS = 2_000;

/** A record is added or removed in less time. */
const UNDER_WAY_MS = 3_600_000;
const RECOUNT_EVERY_MS = 86_400_000;

export interface StorageUsage {
  used_bytes: number;
  /** Null: there is no limit. */
  limit_bytes: number | null;
}

/** A body on its way into the store. */
export interface Incoming {
  /** Counts bytes that came. @throws {ChorusError} storage_full, store_unavailable */
  take(bytes: number): Promise<void>;
  /** They are charged by now, or gone. */
  end(): void;
}

interface Arriving {
  usedBytes: number;
  readAt: number;
  /** Bytes that came of all bodies of the scope. */
  bytes: number;
  bodies: number;
}

/** Keeps what a scope stores within its limit. */
export class StorageQuota {
  readonly limitBytes: number | null;
  readonly #records: StorageRepository;
  readonly #arriving = new Map<string, Arriving>();

  constructor(records: StorageRepository, limitBytes: number | null) {
    this.#records = records;
    this.limitBytes = limitBytes;
  }

  /** @throws {ChorusError} store_unavailable */
  async usage(owner: Owner): Promise<StorageUsage> {
    return { used_bytes: await this.#records.used(owner), limit_bytes: this.limitBytes };
  }

  /** @throws {ChorusError} storage_full where nothing more fits; store_unavailable */
  async check(owner: Owner): Promise<void> {
    if (this.limitBytes === null) return;
    const used = await this.#records.used(owner);
    if (used >= this.limitBytes) throw this.#full(used);
  }

  /** Counts a body while it comes, together with the scope's others in this process. @throws {ChorusError} as `check` */
  async receive(owner: Owner): Promise<Incoming> {
    const limit = this.limitBytes;
    if (limit === null) return { take: async () => {}, end: () => {} };
    const scope = scopeKey(owner);
    const usedBytes = await this.#records.used(owner);
    if (usedBytes >= limit) throw this.#full(usedBytes);
    const arriving = this.#arriving.get(scope) ?? { usedBytes, readAt: 0, bytes: 0, bodies: 0 };
    Object.assign(arriving, { usedBytes, readAt: performance.now() });
    this.#arriving.set(scope, arriving);
    arriving.bodies += 1;
    let came = 0;
    return {
      take: async (bytes) => {
        came += bytes;
        arriving.bytes += bytes;
        if (performance.now() - arriving.readAt > REFRESH_MS) {
          arriving.readAt = performance.now();
          arriving.usedBytes = await this.#records.used(owner);
        }
        if (arriving.usedBytes + arriving.bytes > limit) throw this.#full(arriving.usedBytes);
      },
      end: () => {
        arriving.bytes -= came;
        came = 0;
        arriving.bodies -= 1;
        if (arriving.bodies === 0) this.#arriving.delete(scope);
      },
    };
  }

  /**
   * Charges a record that is about to be stored: of several at the same moment as many pass as fit. `settle` or `refund` follows.
   *
   * @throws {ChorusError} storage_full, store_unavailable
   */
  async charge(owner: Owner, id: string, bytes: number): Promise<void> {
    if (!(await this.#records.charge(owner, id, bytes, this.limitBytes)))
      throw this.#full(await this.#records.used(owner));
    const arriving = this.#arriving.get(scopeKey(owner));
    if (arriving) arriving.usedBytes += bytes;
  }

  /** The record is stored. */
  settle(owner: Owner, id: string): Promise<void> {
    return this.#records.settle(owner, id);
  }

  /** Gives back what was charged, if the record did not come to be. */
  refund(owner: Owner, id: string): Promise<void> {
    return this.#records.refund(owner, id);
  }

  /** Removes a record, and gives its bytes back if it was there. */
  async release(owner: Owner, id: string, bytes: number, remove: () => Promise<boolean>): Promise<boolean> {
    await this.#records.mark(owner, id, bytes);
    const removed = await remove();
    if (removed) await this.#records.refund(owner, id);
    return removed;
  }

  /** Derives what a process that died left in the balance. @returns how many counts were wrong */
  recount(now = Date.now()): Promise<number> {
    return this.#records.recount({
      marksBefore: new Date(now - UNDER_WAY_MS),
      countedBefore: new Date(now - RECOUNT_EVERY_MS),
    });
  }

  #full(usedBytes: number): ChorusError {
    const held = `${usedBytes.toLocaleString('en')} of ${this.limitBytes?.toLocaleString('en')} bytes are used`;
    return new ChorusError(
      'storage_full',
      `The storage of this scope has no room for this: ${held}. Delete files, or ask the operator to raise STORAGE_QUOTA_BYTES.`,
    );
  }
}
