import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatchPartRecord } from '@chorus/database';
import { LEASE_MS, LostPart, type PartParts, PartRun } from './run-part.ts';

const MAX_LOOK_MS = 2_000;
const FAILURE_PAUSE_MS = 5_000;
const MAX_PARTS = 4;
const CLOSE_WITHIN_MS = 5_000;

/**
 * Takes parts of economy batches through the batch endpoints of providers. A part waits in the store, so it holds no
 * worker's place, and any process goes on with it.
 */
export class EconomyRunner {
  readonly #parts: Omit<PartParts, 'folder'>;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #folder: Promise<string> | null = null;
  #isLooking = false;

  constructor(parts: Omit<PartParts, 'folder'>) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#look(), Math.min(MAX_LOOK_MS, parts.pollMs));
  }

  /** Leaves parts to other processes. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new LostPart());
    const stopped = Promise.allSettled(this.#running);
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref())]);
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }

  async #look(): Promise<void> {
    const { batchParts } = this.#parts.database;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#running.size < MAX_PARTS && !this.#closing.signal.aborted) {
        const holder = randomUUID();
        const part = await batchParts.claimDue(holder, LEASE_MS);
        if (part === null) return;
        const run = this.#run(part, holder).finally(() => this.#running.delete(run));
        this.#running.add(run);
      }
    } catch (err) {
      this.#parts.log.warn({ err }, 'could not look for parts of batches');
    } finally {
      this.#isLooking = false;
    }
  }

  async #run(part: BatchPartRecord, holder: string): Promise<void> {
    const { database, log } = this.#parts;
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, lost.signal]);
    const keeping = setInterval(() => {
      database.batchParts.keep(part.id, holder, LEASE_MS).then(
        (isKept) => isKept || lost.abort(new LostPart()),
        () => undefined,
      );
    }, LEASE_MS / 3);
    let due: Date | null = new Date(Date.now() + FAILURE_PAUSE_MS);
    try {
      this.#folder ??= mkdtemp(join(tmpdir(), 'chorus-economy-'));
      due = await new PartRun({ ...this.#parts, folder: await this.#folder }, part, holder, signal).run();
    } catch (err) {
      if (this.#closing.signal.aborted) due = new Date();
      else if (!(err instanceof LostPart)) log.warn({ err, part: part.id }, 'part of a batch goes on later');
    } finally {
      clearInterval(keeping);
    }
    await database.batchParts.giveBack(part.id, holder, due).catch(() => undefined); // the claim expires
  }
}
