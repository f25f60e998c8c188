import { ChorusError } from '@chorus/contract';
import type { BatchPartChange, BatchPartRecord } from '@chorus/database';
import type { BatchEndpoint, Batches, BatchOperation, BatchRequest, CallOptions } from '@chorus/providers';
import type { Logger } from '@chorus/runtime/log';
import { eraseAtProvider } from './erase-part.ts';
import { collectResults, endMembers, membersOf } from './part-members.ts';
import { planRequest } from './plan-request.ts';
import { release, type SettleParts, type Unanswered } from './settle-result.ts';
import { withdrawDuplicate } from './withdraw-duplicate.ts';

export interface PartParts extends SettleParts {
  /** For files until they are sent. */
  folder: string;
  /** The first pause between polls. */
  pollMs: number;
  log: Logger;
}

/** Pauses grow up to this multiple of the first one. */
const MAX_GROWTH = 10;
/** The pause before a batch is sent again that the provider had no room for. */
const FULL_PAUSE_GROWTH = 10;
/** Batches of this age may still run at a provider. */
const KNOWN_MS = 49 * 3_600_000;
/** Providers delete files of batches after this time at the latest. */
const ERASED_MS = 30 * 86_400_000;
/** Other processes take over the parts of a dead one after this time. */
export const LEASE_MS = 15_000;

/**
 * One claimed part of a batch. Each step is stored before the next one begins, and repeats nothing after a kill: the
 * provider is asked for our key before a batch is sent again, and ended executions stay as they are.
 */
export class PartRun {
  readonly #parts: PartParts;
  readonly #holder: string;
  readonly #options: CallOptions;
  #part: BatchPartRecord;
  #batches: Batches | null = null;

  constructor(parts: PartParts, part: BatchPartRecord, holder: string, signal: AbortSignal) {
    this.#parts = parts;
    this.#part = part;
    this.#holder = holder;
    this.#options = { signal, executionId: part.id, user: part.owner.user_id };
  }

  /** Goes on as far as possible. Returns when to go on again. Null: the part has ended. */
  async run(): Promise<Date | null> {
    const { model, state, operation, stop, submitted_at, erased } = this.#part;
    if (erased) return this.#erase();
    if (submitted_at !== null && Date.now() - submitted_at.getTime() > KNOWN_MS) return this.#endAll(stop ?? 'expired');
    this.#batches = await this.#findBatches(model);
    if (this.#batches === null) {
      // An operator removed the provider's key. Answers may still come if it returns.
      if (stop === null && state !== 'new') return this.#later();
      return this.#endAll(stop ?? new ChorusError('model_not_found', `No batch endpoint of ${model} is configured.`));
    }
    if (state === 'new') return this.#stage();
    return operation === null ? this.#recover() : this.#poll(operation as BatchOperation);
  }

  async #findBatches(model: string): Promise<Batches | null> {
    try {
      return await this.#parts.providers.batchesOf(model);
    } catch (error) {
      if (error instanceof ChorusError && error.code === 'model_not_found') return null;
      throw error;
    }
  }

  get #port(): Batches {
    return this.#batches as Batches;
  }

  get #isFallback(): Promise<boolean> {
    const { owner, batch_id } = this.#part;
    return this.#parts.database.batches.get(owner, batch_id).then((batch) => batch?.economy?.fallback === true);
  }

  /** Cancels and deletes the part's batch and files at the provider, and then the part. */
  async #erase(): Promise<Date | null> {
    const { id, provider, model, created_at } = this.#part;
    const { batchParts } = this.#parts.database;
    const isOld = Date.now() - created_at.getTime() > ERASED_MS;
    const batches = await this.#findBatches(model);
    if (!isOld) {
      if (batches === null) return this.#later();
      const known = new Set(await batchParts.listOperations(provider, new Date(Date.now() - KNOWN_MS)));
      if (!(await eraseAtProvider(batches, this.#part, known, this.#options))) return this.#later();
    }
    await batchParts.remove(id, this.#holder);
    return null;
  }

  /** Extends the claim. Called before each request that sends something. @throws LostPart if another process has it */
  async #confirm(): Promise<void> {
    if (!(await this.#parts.database.batchParts.keep(this.#part.id, this.#holder, LEASE_MS))) throw new LostPart();
  }

  async #save(change: BatchPartChange): Promise<void> {
    const saved = await this.#parts.database.batchParts.save(this.#part.id, this.#holder, change);
    if (saved === null) throw new LostPart();
    this.#part = saved;
  }

  /** Returns when to look again, later each time. */
  async #later(factor?: number): Promise<Date> {
    const growth = factor ?? Math.min(MAX_GROWTH, 1.5 ** this.#part.tries);
    await this.#save({ tries: this.#part.tries + 1 });
    return new Date(Date.now() + this.#parts.pollMs * growth);
  }

  async #stage(): Promise<Date | null> {
    const { id, ids, model, owner, batch_id, stop } = this.#part;
    const { database, folder } = this.#parts;
    await database.executions.assignPart(ids, null, id);
    if (stop !== null) return this.#endAll(stop);
    const others: string[] = [];
    const staging = this.#port.stage(this.#requests(others), { folder, model, nextKey: () => id });
    const { value: staged } = await staging.next();
    if (!staged) return null;
    try {
      await staging.return();
      // A provider's batch has one endpoint and a limited size. The rest becomes another part.
      const sent = new Set(staged.ids);
      for await (const page of membersOf(this.#parts, this.#part))
        for (const one of page) if (!sent.has(one.id)) others.push(one.id);
      const rest = [...new Set(others)];
      if (rest.length > 0) {
        await this.#confirm();
        const next = await database.batchParts.insert({ owner, batch_id, model, ids: rest });
        await database.executions.assignPart(rest, id, next);
      }
      const { endpoint } = staged;
      await this.#save({ ids: [...staged.ids], endpoint, state: 'submitting', submitted_at: new Date(), tries: 0 });
      return await this.#submit(staged);
    } finally {
      await staged.discard();
    }
  }

  /** Plans the requests of the first endpoint. Executions that a batch can't run go the normal way. */
  async *#requests(others: string[], ofEndpoint: string | null = null): AsyncGenerator<BatchRequest, void, undefined> {
    let endpoint = ofEndpoint;
    const planning = { ...this.#parts, batches: this.#port };
    for await (const page of membersOf(this.#parts, this.#part))
      for (const execution of page) {
        const planned = await planRequest(planning, execution, this.#options.signal);
        endpoint ??= planned?.endpoint ?? null;
        if (planned === null) await release(this.#parts, execution, this.#part.id);
        else if (planned.endpoint !== endpoint) others.push(execution.id);
        else yield { id: execution.id, ...planned };
      }
  }

  async #submit(staged: Parameters<Batches['submit']>[0]): Promise<Date | null> {
    const { log } = this.#parts;
    let operation: BatchOperation;
    try {
      operation = await this.#port.submit(staged, { ...this.#options, onRequest: () => this.#confirm() });
    } catch (error) {
      this.#options.signal.throwIfAborted();
      if (!(error instanceof ChorusError)) throw error;
      log.warn({ part: this.#part.id, code: error.code, reason: error.message }, 'batch not accepted by its provider');
      if (REFUSALS.has(error.code)) return this.#endAll(error);
      return this.#later();
    }
    await this.#save({ operation, state: 'running', tries: 0 }).catch(async (error) => {
      if (error instanceof LostPart)
        await withdrawDuplicate({ ...this.#parts, batches: this.#port }, this.#part.id, operation);
      throw error;
    });
    log.info(
      { part: this.#part.id, batch_id: this.#part.batch_id, requests: staged.ids.length },
      'batch sent to its provider',
    );
    return this.#later();
  }

  /** Finds out whether the provider has the batch, and sends it only if not. */
  async #recover(): Promise<Date | null> {
    const { id, model, ids, provider, stop, submitted_at } = this.#part;
    const { database, folder } = this.#parts;
    const endpoint = this.#part.endpoint as BatchEndpoint;
    const known = await database.batchParts.listOperations(provider, new Date(Date.now() - KNOWN_MS));
    const submittedAt = submitted_at?.getTime() ?? 0;
    const query = { key: id, model, endpoint, requests: ids.length, submittedAt, known: new Set(known) };
    const found = await this.#port.find(query, this.#options);
    if (found.status === 'found') {
      await this.#save({ operation: found.operation, state: 'running', tries: 0 });
      return this.#poll(found.operation);
    }
    if (found.status === 'unclear') return this.#later();
    if (stop !== null) return this.#endAll(stop);
    const staging = this.#port.stage(this.#requests([], endpoint), { folder, model, nextKey: () => id });
    const { value: staged } = await staging.next();
    if (!staged) return null;
    try {
      await staging.return();
      await this.#save({ submitted_at: new Date(), ids: [...staged.ids] });
      return await this.#submit(staged);
    } finally {
      await staged.discard();
    }
  }

  async #poll(operation: BatchOperation): Promise<Date | null> {
    const { stop, stopped } = this.#part;
    if (stop !== null && !stopped) {
      await this.#port.cancel(operation, this.#options);
      await this.#save({ stopped: true, tries: 0 });
    }
    const state = await this.#port.poll(operation, this.#options);
    if (state.status === 'pending') return this.#later();
    if (state.status === 'failed') await this.#failed(state.error);
    else
      await collectResults(
        { ...this.#parts, batches: this.#port },
        this.#part,
        state,
        await this.#isFallback,
        this.#options,
      );
    // Results are stored here now. Copies at the provider expire by themselves if this fails.
    const deletion = this.#port.delete(operation, this.#options).then(() => this.#save({ deleted: true }));
    await deletion.catch((err) => {
      this.#parts.log.warn({ err, part: this.#part.id }, 'batch not deleted at its provider');
    });
    return null;
  }

  async #failed(error: ChorusError): Promise<void> {
    const { id, owner, batch_id, model, ids, stop } = this.#part;
    await this.#confirm();
    if (error.code !== 'provider_rate_limited' || stop !== null) {
      await this.#endAll(stop ?? error);
      return;
    }
    // The provider had no room for it. It is sent again, under another key.
    const { database, pollMs } = this.#parts;
    const due_at = new Date(Date.now() + pollMs * FULL_PAUSE_GROWTH);
    const next = await database.batchParts.insert({ owner, batch_id, model, ids, due_at });
    await database.executions.assignPart(ids, id, next);
  }

  async #endAll(why: Unanswered): Promise<null> {
    await endMembers(this.#parts, this.#part, why, await this.#isFallback);
    return null;
  }
}

/** Another process has the part. */
export class LostPart extends Error {}

/** Answers after which a batch was certainly not accepted, and never will be. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid_request', 'model_not_found', 'content_refused']);
