import type { PublishFeedEvent } from '@chorus/contract';
import type { BatchRecord, Database, ExecutionState } from '@chorus/database';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { readLanes } from '@chorus/lanes';
import type { Dispatcher } from '@chorus/queue';
import type { Logger } from '@chorus/runtime/log';
import { hasExpired } from './batch-expiry.ts';
import { BatchRunner } from './batch-runner.ts';
import { FairFeed, type FeedLimits } from './fair-feed.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';
import { Leadership, NotLeading } from './leadership.ts';
import type { Planner } from './plan-item.ts';
import { BatchChanged, type RunnerParts } from './running-batch.ts';
import { removeBatch } from './stage-batch.ts';
import { isUnrelatedError } from './unrelated-error.ts';

/** Minimum time between rounds while there is work. Otherwise the longer interval applies. */
const MIN_ROUND_MS = 15;
const IDLE_MS = 1_000;

/** The leader's interval while no batch is open. New batches wake it, unless the message is lost. */
const AT_REST_MS = 4_000;

/** Pause after a failure. */
const FAILURE_PAUSE_MS = 250;

const REFRESH_MS = 1_000;
const LOOK_MS = 1_000;
const NOTE_MS = 200;

/** Interval of progress messages to a scope's feed. */
const PROGRESS_INTERVAL_MS = 1_000;

/** Interval of checks for incomplete uploads, and the silence after which they are removed. */
const SWEEP_MS = 60_000;
const SILENT_MS = 900_000;

/** How long a faulty batch is skipped. */
const FAULTY_PAUSE_MS = 60_000;

const CLOSE_WITHIN_MS = 5_000;

/** Maximum number of records to read in one round trip. */
const PAGE = 500;

/** Maximum number of concurrent batches per user. Further ones wait in the store. */
const MAX_BATCHES_PER_USER = 8;

export interface FeederParts {
  database: Pick<Database, 'agents' | 'batches' | 'batchItems' | 'batchParts' | 'executions'>;
  dispatcher: Pick<Dispatcher, 'dispatchMany' | 'cancel' | 'pressure'>;
  redis: RedisConnection;
  planner: Planner;
  /** Returns whether the provider of a model has a batch endpoint. */
  hasBatches?: RunnerParts['hasBatches'];
  limits: FeedLimits;
  /** Sends the progress of batches to the feed of a scope. */
  publishToFeed: PublishFeedEvent;
  /** Called for each ended batch until it succeeds. */
  onEnd: (batch: BatchRecord) => Promise<void>;
  /** Observes stored ends of items, for metrics. */
  onItemEnded?: RunnerParts['onItemEnded'];
  log: Logger;
}

type PeriodicTask = 'refresh' | 'look' | 'note' | 'announce' | 'sweep';

/**
 * Feeds batches to the workers: users in turn, each within a window, below the queues' limits. Only one process feeds.
 * Another one takes over within seconds if it dies.
 */
export class Feeder {
  readonly #parts: FeederParts;
  readonly #leadership: Leadership;
  readonly #runnerParts: RunnerParts;
  readonly #runners = new Map<string, BatchRunner>();
  /** End of the pause of each faulty batch. */
  readonly #faulty = new Map<string, number>();
  readonly #due: Record<PeriodicTask, number> = { refresh: 0, look: 0, note: 0, announce: 0, sweep: 0 };
  #closing = false;
  #wake: () => void = () => undefined;
  #awake = false;
  readonly #fairFeed: FairFeed;
  readonly #loop: Promise<void>;

  constructor(parts: FeederParts) {
    this.#parts = parts;
    this.#leadership = new Leadership(parts.redis, 'batches');
    this.#runnerParts = {
      ...parts,
      checkLeader: () => {
        if (!this.#leadership.isLeader) throw new NotLeading();
      },
    };
    this.#fairFeed = new FairFeed({ ...parts, readLanes: (lanes) => readLanes(parts.redis, lanes) });
    this.#loop = this.#run();
  }

  /** Called when an execution has ended. `changed`: a batch was created, cancelled, or retried. */
  wake(changed = false): void {
    if (changed) this.#due.refresh = 0;
    this.#awake = true;
    this.#wake();
  }

  /** Stops after the current round, or after 5 s if Redis is down. Another process then takes over. */
  async close(): Promise<void> {
    this.#closing = true;
    this.wake();
    await fromRedis(this.#loop, CLOSE_WITHIN_MS).catch(() => undefined);
    await this.#leadership.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#closing) {
      this.#awake = false;
      await this.#pause(await this.#round().catch((error) => this.#failed(error)));
    }
  }

  /** Waits for the given time or until `wake` is called, but at least for the minimum between rounds. */
  async #pause(ms: number): Promise<void> {
    if (this.#closing) return;
    await new Promise((resolve) => setTimeout(resolve, MIN_ROUND_MS));
    if (ms <= MIN_ROUND_MS || this.#awake || this.#closing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms - MIN_ROUND_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  #failed(error: unknown): number {
    // The state in memory may differ from the store, so it is reloaded.
    this.#runners.clear();
    this.#due.refresh = 0;
    if (!(error instanceof NotLeading)) {
      this.#parts.log.warn({ err: error }, 'feeding batches failed; the next round tries again');
    }
    return FAILURE_PAUSE_MS;
  }

  /** Returns how long to wait for the next round without a wake-up. */
  async #round(): Promise<number> {
    if (!(await this.#leadership.acquire())) {
      this.#runners.clear();
      this.#due.refresh = 0;
      return IDLE_MS;
    }
    const isRefreshed = this.#isDue('refresh', REFRESH_MS);
    if (isRefreshed) await this.#refresh();
    await this.#recordEnds();
    // Ends are recorded first, so that repeated stops have less to do.
    if (isRefreshed) await this.#stopBatches();
    if (this.#isDue('look', LOOK_MS)) await this.#look();
    const fed = await this.#fairFeed.feed([...this.#runners.values()], (runner, step) => this.#each(step, [runner]));
    await this.#each((runner) => runner.formParts());
    if (this.#isDue('note', NOTE_MS)) await this.#each((runner) => runner.progress.store());
    if (this.#isDue('announce', PROGRESS_INTERVAL_MS)) this.#announceProgress();
    await this.#each((runner) => this.#finish(runner));
    if (this.#isDue('sweep', SWEEP_MS)) await this.#sweep();
    if (fed > 0) return MIN_ROUND_MS;
    if (this.#runners.size === 0) return AT_REST_MS;
    return [...this.#runners.values()].some((runner) => runner.progress.hasChanged) ? NOTE_MS : IDLE_MS;
  }

  async #look(): Promise<void> {
    await this.#each((runner) => runner.checkExecutions());
    const runners = [...this.#runners.values()];
    await this.#fairFeed.readLanes(runners);
    for (const runner of runners) runner.progress.noteClosedLanes((lane) => this.#fairFeed.isClosed(lane));
  }

  #isDue(what: PeriodicTask, everyMs: number): boolean {
    const now = performance.now();
    if (now < this.#due[what]) return false;
    this.#due[what] = now + everyMs;
    return true;
  }

  /** Runs a step for each batch. A failure does not affect other batches. */
  async #each(step: (runner: BatchRunner) => Promise<void>, runners = [...this.#runners.values()]): Promise<void> {
    await forEachConcurrently(runners, (runner) => this.#guarded(runner.batch.id, () => step(runner)));
  }

  async #guarded(batch_id: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (err) {
      if (isUnrelatedError(err)) throw err;
      this.#runners.delete(batch_id);
      this.#due.refresh = 0;
      if (err instanceof BatchChanged) {
        this.#parts.log.warn({ batch_id }, 'batch changed by another process; reloading it');
      } else {
        this.#parts.log.error({ err, batch_id }, 'feeding a batch failed; it is skipped for a while');
        this.#faulty.set(batch_id, performance.now() + FAULTY_PAUSE_MS);
      }
    }
  }

  /** Finds running batches, and changed requests for known ones. */
  async #refresh(): Promise<void> {
    const found = new Set<string>();
    const ofUser = new Map<string, number>();
    for (let after: string | undefined; ; ) {
      const page = await this.#parts.database.batches.listUnfinished({ limit: PAGE, after });
      for (const batch of page) {
        found.add(batch.id);
        const user = batch.owner.user_id;
        const fed = (ofUser.get(user) ?? 0) + 1;
        ofUser.set(user, fed);
        const known = this.#runners.get(batch.id);
        if (known && !batch.retry_pending) known.batch = batch;
        else if (
          this.#isWell(batch.id) &&
          (fed <= MAX_BATCHES_PER_USER || batch.started_at !== null || hasExpired(batch))
        )
          await this.#guarded(batch.id, async () => {
            this.#runners.set(batch.id, await BatchRunner.open(this.#runnerParts, batch));
          });
      }
      after = page.at(-1)?.id;
      if (page.length < PAGE) break;
    }
    for (const id of this.#runners.keys()) if (!found.has(id)) this.#runners.delete(id);
    for (const batch of await this.#parts.database.batches.listWebhooksDue(PAGE)) await this.#announce(batch);
  }

  /** Ends items of batches that are being cancelled, or have expired. */
  async #stopBatches(): Promise<void> {
    const stopping = [...this.#runners.values()].filter(({ isStopping }) => isStopping);
    await this.#each((runner) => runner.stop(), stopping);
  }

  #isWell(id: string): boolean {
    const until = this.#faulty.get(id);
    if (until !== undefined && until > performance.now()) return false;
    this.#faulty.delete(id);
    return true;
  }

  async #recordEnds(): Promise<void> {
    const { executions } = this.#parts.database;
    for (;;) {
      const page = await executions.listBatchesDue(PAGE);
      if (page.length === 0) return;
      const ofBatch = Map.groupBy(page, ({ batch_id }) => batch_id as string);
      const unknownIds = [...ofBatch.keys()].filter((id) => !this.#runners.has(id));
      if (unknownIds.length > 0) await this.#refresh(); // fed by another process until now
      const noted: string[] = [];
      await this.#each(
        async (runner) => {
          const states = ofBatch.get(runner.batch.id) as ExecutionState[];
          await runner.recordEnds(states);
          noted.push(...states.map(({ id }) => id));
        },
        [...ofBatch.keys()].flatMap((id) => this.#runners.get(id) ?? []),
      );
      // The rest belong to batches that have ended or were deleted.
      for (const id of unknownIds) {
        if (!this.#runners.has(id)) noted.push(...(ofBatch.get(id) ?? []).map((standing) => standing.id));
      }
      await executions.markBatchesNoted(noted);
      if (page.length < PAGE || noted.length === 0) return;
    }
  }

  async #finish(runner: BatchRunner): Promise<void> {
    if (!runner.ended) return;
    const ended = await runner.finish();
    this.#runners.delete(runner.batch.id);
    if (ended) await this.#announce(ended);
    else this.#due.refresh = 0; // the request has changed meanwhile
  }

  #announceProgress(): void {
    for (const runner of this.#runners.values()) {
      const counts = runner.progress.changedCounts();
      if (counts && !runner.ended) this.#publish({ ...runner.batch, counts }, 'batch.progress');
    }
  }

  #publish(
    { id, owner, status, counts }: BatchRecord,
    type: 'batch.progress' | 'batch.completed' | 'batch.cancelled',
  ): void {
    this.#parts.publishToFeed(owner, { type, batch_id: id, status, counts });
  }

  /** On failure, retries in a later round. */
  async #announce(batch: BatchRecord): Promise<void> {
    const { onEnd, database, log } = this.#parts;
    try {
      await onEnd(batch);
      await database.batches.markWebhookStored(batch.id, batch.retries);
      this.#publish(batch, batch.status === 'cancelled' ? 'batch.cancelled' : 'batch.completed');
      log.info(
        { batch_id: batch.id, request_id: batch.request_id, status: batch.status, ...batch.counts },
        'batch ended',
      );
    } catch (err) {
      log.warn({ err, batch_id: batch.id }, 'end of a batch not reported; the next round tries again');
    }
  }

  /** Removes incomplete uploads of dead processes and disconnected clients. */
  async #sweep(): Promise<void> {
    const { database, log } = this.#parts;
    const abandoned = await database.batches.listAbandoned(new Date(Date.now() - SILENT_MS), PAGE);
    for (const id of abandoned) await removeBatch(database, id);
    if (abandoned.length > 0) log.info({ batches: abandoned.length }, 'incomplete batches removed');
  }
}
