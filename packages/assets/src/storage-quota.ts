import { ChorusError, type Owner, scopeKey } from '@chorus/contract';
import type { StorageRepository } from '@chorus/database';

/** Interval of reading a scope's usage while bodies arrive. */
const REFRESH_MS = 2_000;

/** Maximum time to add or remove a record. */
const MAX_OPERATION_MS = 3_600_000;
const RECOUNT_EVERY_MS = 86_400_000;

export interface StorageUsage {
  used_bytes: number;
  /** Null: no limit. */
  limit_bytes: number | null;
}

/** A body that is being stored. */
export interface Incoming {
  /** Counts received bytes. @throws {ChorusError} storage_full, store_unavailable */
  take(bytes: number): Promise<void>;
  /** Stops counting: the bytes are charged or discarded. */
  end(): void;
}

interface Arriving {
  usedBytes: number;
  readAt: number;
  /** Bytes received for all bodies of the scope. */
  bytes: number;
  bodies: number;
}

/** Enforces the storage limit of each scope. */
export class StorageQuota {
  readonly #limitBytes: () => number | null;
  readonly #records: StorageRepository;
  readonly #arriving = new Map<string, Arriving>();

  constructor(records: StorageRepository, limitBytes: () => number | null) {
    this.#records = records;
    this.#limitBytes = limitBytes;
  }

  get limitBytes(): number | null {
    return this.#limitBytes();
  }

  /** @throws {ChorusError} store_unavailable */
  async usage(owner: Owner): Promise<StorageUsage> {
    return { used_bytes: await this.#records.used(owner), limit_bytes: this.limitBytes };
  }

  /** @throws {ChorusError} storage_full if the quota is used up; store_unavailable */
  async check(owner: Owner): Promise<void> {
    if (this.limitBytes === null) return;
    const used = await this.#records.used(owner);
    if (used >= this.limitBytes) throw this.#full(used);
  }

  /** Counts a body while it arrives, together with the scope's others. @throws {ChorusError} as `check` */
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
   * Charges a record before it is stored, if it fits. `settle` or `refund` must follow.
   *
   * @throws {ChorusError} storage_full, store_unavailable
   */
  async charge(owner: Owner, id: string, bytes: number): Promise<void> {
    if (!(await this.#records.charge(owner, id, bytes, this.limitBytes)))
      throw this.#full(await this.#records.used(owner));
    const arriving = this.#arriving.get(scopeKey(owner));
    if (arriving) arriving.usedBytes += bytes;
  }

  /** Confirms a charge once the record is stored. */
  settle(owner: Owner, id: string): Promise<void> {
    return this.#records.settle(owner, id);
  }

  /** Refunds a charge if the record was not stored. */
  refund(owner: Owner, id: string): Promise<void> {
    return this.#records.refund(owner, id);
  }

  /** Removes a record and refunds its bytes if it existed. */
  async release(owner: Owner, id: string, bytes: number, remove: () => Promise<boolean>): Promise<boolean> {
    await this.#records.mark(owner, id, bytes);
    const removed = await remove();
    if (removed) await this.#records.refund(owner, id);
    return removed;
  }

  /** Repairs the balance after crashes. @returns the number of wrong counts */
  recount(now = Date.now()): Promise<number> {
    return this.#records.recount({
      marksBefore: new Date(now - MAX_OPERATION_MS),
      countedBefore: new Date(now - RECOUNT_EVERY_MS),
    });
  }

  #full(usedBytes: number): ChorusError {
    const held = `${usedBytes.toLocaleString('en')} of ${this.limitBytes?.toLocaleString('en')} bytes are used`;
    return new ChorusError(
      'storage_full',
      `Not enough storage in this scope: ${held}. Delete files, or ask the operator to raise STORAGE_QUOTA_BYTES.`,
    );
  }
}
